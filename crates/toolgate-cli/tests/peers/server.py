"""A server on the official SDK of Python, with one tool per thing that a tool can do."""

import asyncio
import base64
import pathlib
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("python-peer")
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Weather(BaseModel):
    city: str
    degrees: int


@server.tool(structured_output=False)
def greet(name: str) -> str:
    """Says a text."""
    return f"Hello, {name}!"


@server.tool(structured_output=False)
def picture() -> Image:
    """Shows a picture."""
    return Image(data=base64.b64decode(PICTURE), format="png")


@server.tool()
def weather(city: str) -> Weather:
    """Gives a value of a known shape."""
    return Weather(city=city, degrees=21)


@server.tool()
def fail() -> str:
    """Does not work."""
    raise ToolError("it never works")


@server.tool(structured_output=False)
async def work(seconds: float, steps: int, context: Context) -> str:
    """Works for a while and tells how far it is. The file says where it stands."""
    state = pathlib.Path(sys.argv[1])
    state.write_text("begun")
    try:
        for step in range(steps):
            await asyncio.sleep(seconds / steps)
            await context.report_progress(step + 1, steps)
    except asyncio.CancelledError:
        state.write_text("cancelled")
        raise
    state.write_text("done")
    return "done"


server.run()
