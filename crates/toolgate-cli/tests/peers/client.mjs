// A client on the official SDK of TypeScript. Its argument says which server, which calls and which one is given up; it prints
// what it got as JSON.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const told = JSON.parse(process.argv[2]);
const transport = told.url
    ? new StreamableHTTPClientTransport(new URL(told.url), { requestInit: { headers: told.headers } })
    : new StdioClientTransport({ command: told.command, args: told.args, env: told.env, stderr: "inherit" });
const client = new Client({ name: "typescript-peer", version: "1" });
await client.connect(transport);

const { tools } = await client.listTools();
const results = [];
for (const { name, arguments: args } of told.calls) {
    const progress = [];
    const onprogress = ({ progress: done, total }) => progress.push([done, total]);
    const result = await client.callTool({ name, arguments: args }, undefined, { onprogress });
    results.push({ result, progress });
}

const controller = new AbortController();
const { name, arguments: args } = told.givenUp;
const options = { signal: controller.signal, onprogress: () => controller.abort("given up") };
const wasGivenUp = await client.callTool({ name, arguments: args }, undefined, options).then(() => false, () => true);
const after = await client.callTool(told.calls[0]);

console.log(JSON.stringify({ tools: tools.map(tool => tool.name), results, wasGivenUp, after }));
await client.close();
