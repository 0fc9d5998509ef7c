// Lists the TODO markers of a checkout by file: one search, and then one read per file, all at the same time.
//
//   cargo run --release -- run examples/todo-report.ts
//
// Prints the number of marked lines and files, and for each file its length and where its markers are:
//
//   3 marked lines in 2 files
//
//   src/lib.rs (40 lines)
//        7  // TODO: say why
//   src/main.rs (120 lines)
//       12  // TODO: read the arguments
//       80  // TODO: close the file
//
// While it runs, its calls are shown on standard error.

const MARKER = "\\b(TODO|FIXME)\\b";
const FILES = 20;
const LINES = 5;
const WIDTH = 90;

interface Marker {
  number: number;
  text: string;
}

function line({ number, text }: Marker): string {
  const short = text.trim();
  const shown = short.length > WIDTH ? `${short.slice(0, WIDTH)}…` : short;
  return `${String(number).padStart(6)}  ${shown}`;
}

const found = await tools.grep({ pattern: MARKER });
const files = found.files.slice(0, FILES);

const sections = await Promise.all(
  files.map(async (file): Promise<string> => {
    const { total_lines } = await tools.read({ file_path: file.path, limit: 1 });
    const more = file.total - Math.min(file.lines.length, LINES);
    return [
      `${file.path} (${total_lines} lines)`,
      ...file.lines.slice(0, LINES).map(line),
      ...(more > 0 ? [`        and ${more} more`] : []),
    ].join("\n");
  }),
);

console.log(`${found.total} marked lines in ${found.total_files} files\n`);
for (const section of sections) console.log(section);
if (found.total_files > files.length) console.log(`and ${found.total_files - files.length} more files`);
