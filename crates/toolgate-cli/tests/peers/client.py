"""A client on the official SDK of Python. Its argument says which server, which calls and which one is given up; it prints
what it got as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    told = json.loads(sys.argv[1])
    async with httpx2.AsyncClient(headers=told.get("headers"), timeout=60) as http:
        server = (
            streamable_http_client(told["url"], http_client=http)
            if "url" in told
            else StdioServerParameters(command=told["command"], args=told["args"], env=told["env"])
        )
        async with Client(server) as client:
            print(json.dumps(await report(client, told)))


async def report(client: Client, told: dict) -> dict:
    listed = await client.list_tools()
    results = []
    for call in told["calls"]:
        progress = []

        async def heard(done: float, total: float | None, _: str | None) -> None:
            progress.append([done, total])

        result = await client.call_tool(call["name"], call["arguments"], progress_callback=heard)
        results.append({"result": result.model_dump(by_alias=True, exclude_none=True, mode="json"), "progress": progress})
    given_up = told["givenUp"]
    begun = asyncio.Event()

    async def begins(*_: object) -> None:
        begun.set()

    call = asyncio.create_task(
        client.call_tool(given_up["name"], given_up["arguments"], progress_callback=begins)
    )
    await asyncio.wait_for(begun.wait(), 30)
    call.cancel()
    await asyncio.wait([call])
    after = await client.call_tool(told["calls"][0]["name"], told["calls"][0]["arguments"])
    return {
        "tools": [tool.name for tool in listed.tools],
        "results": results,
        "wasGivenUp": call.cancelled(),
        "after": after.model_dump(by_alias=True, exclude_none=True, mode="json"),
    }


asyncio.run(main())
