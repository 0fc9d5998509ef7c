# Lists the TODO markers of a checkout by file: one search, and then one read per file, all at the same time.
#
#   cargo run --release --features python -- run examples/todo_report.py
#
# Prints the number of marked lines and files, and for each file its length and where its markers are:
#
#   3 marked lines in 2 files
#
#   src/lib.rs (40 lines)
#        7  // TODO: say why
#   src/main.rs (120 lines)
#       12  // TODO: read the arguments
#       80  // TODO: close the file
#
# While it runs, its calls are shown on standard error. It is the program of todo-report.ts in another language.

import asyncio

MARKER = "\\b(TODO|FIXME)\\b"
FILES = 20
LINES = 5
WIDTH = 90


def line(marker):
    short = marker["text"].strip()
    shown = short[:WIDTH] + "…" if len(short) > WIDTH else short
    return f"{marker['number']:>6}  {shown}"


async def section(file):
    head = await tools.read({"file_path": file["path"], "limit": 1})
    lines = [line(marker) for marker in file["lines"][:LINES]]
    more = file["total"] - min(len(file["lines"]), LINES)
    if more > 0:
        lines.append(f"        and {more} more")
    return "\n".join([f"{file['path']} ({head['total_lines']} lines)"] + lines)


found = await tools.grep({"pattern": MARKER})
files = found["files"][:FILES]

print(f"{found['total']} marked lines in {found['total_files']} files\n")
for text in await asyncio.gather(*[section(file) for file in files]):
    print(text)
if found["total_files"] > len(files):
    print(f"and {found['total_files'] - len(files)} more files")
