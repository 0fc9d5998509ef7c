// An editor made of the official SDK, which starts the agent, has it work, and checks every message in both directions
// against the published schema. Usage: node editor.mjs TOOLGATE WORKSPACE, with the environment that the agent gets.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as acp from "@agentclientprotocol/sdk";

const [toolgate, workspace] = process.argv.slice(2);
const folder = path.dirname(new URL(import.meta.url).pathname);
const require = createRequire(import.meta.url);
const published = path.join(path.dirname(require.resolve("@agentclientprotocol/sdk")), "../../../schema/v1/schema.json");

// The schema, one validator for each method, direction and kind of message.
const schema = JSON.parse(fs.readFileSync(published, "utf8"));
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(schema, "acp");
const validators = new Map();
for (const [name, definition] of Object.entries(schema.$defs)) {
    if (definition["x-method"] === undefined) continue;
    const kind = name.match(/(Request|Response|Notification)$/)[1];
    validators.set(`${definition["x-side"]} ${definition["x-method"]} ${kind}`, ajv.compile({ $ref: `acp#/$defs/${name}` }));
}

const checked = new Set();

/** Checks one frame that goes to `side`. */
function check(frame, side, asked) {
    const message = JSON.parse(frame);
    assert.equal(message.jsonrpc, "2.0", frame);
    let method, kind, value;
    if (message.method !== undefined) {
        [method, kind, value] = [message.method, message.id === undefined ? "Notification" : "Request", message.params];
        if (message.id !== undefined) asked[side].set(message.id, method);
    } else {
        // A response goes to whoever asked; its definition is that of the side that was asked.
        const answering = side === "client" ? "agent" : "client";
        method = asked[answering].get(message.id);
        assert.notEqual(method, undefined, `nobody asked: ${frame}`);
        if (message.error !== undefined) return;
        [kind, value, side] = ["Response", message.result, answering];
    }
    const where = method.startsWith("$/") ? "protocol" : side;
    const validate = validators.get(`${where} ${method} ${kind}`);
    assert.ok(validate, `the schema knows no ${kind} of ${method} for the ${where}`);
    assert.ok(validate(value), `${method} ${kind}: ${JSON.stringify(validate.errors)}\n${frame}`);
    checked.add(`${method} ${kind}`);
}

/** The bytes of a stream as they are, with every line checked. */
function watched(side, asked, failures) {
    let rest = "";
    return new TransformStream({
        transform(chunk, controller) {
            rest += Buffer.from(chunk).toString("utf8");
            const lines = rest.split("\n");
            rest = lines.pop();
            for (const line of lines) {
                try {
                    check(line, side, asked);
                } catch (failure) {
                    failures.push(failure);
                }
            }
            controller.enqueue(chunk);
        },
    });
}

/** Texts that the editor has open and that are not on the disk. */
const open = new Map();
const terminals = new Map();

function terminal(id) {
    const found = terminals.get(id);
    assert.ok(found, `no terminal ${id}`);
    return found;
}

/** Runs the agent for as long as `work` takes. */
async function withAgent(answer, work) {
    const child = spawn(toolgate, ["acp", "--script", path.join(folder, "script.toml"), "--sessions", path.join(workspace, "../sessions")], {
        stdio: ["pipe", "pipe", "inherit"],
    });
    const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
    const [asked, failures, updates] = [{ agent: new Map(), client: new Map() }, [], []];
    const [toAgent, toClient] = [watched("agent", asked, failures), watched("client", asked, failures)];
    toAgent.readable.pipeTo(Writable.toWeb(child.stdin)).catch(() => {});
    const fromAgent = Readable.toWeb(child.stdout).pipeThrough(toClient);
    const editor = acp
        .client({ name: "test" })
        .onNotification(acp.methods.client.session.update, ({ params }) => {
            updates.push(params);
        })
        .onRequest(acp.methods.client.session.requestPermission, ({ params, agent }) => answer(params, agent))
        .onRequest(acp.methods.client.fs.readTextFile, ({ params }) => {
            assert.ok(path.isAbsolute(params.path), params.path);
            return { content: open.get(params.path) ?? fs.readFileSync(params.path, "utf8") };
        })
        .onRequest(acp.methods.client.fs.writeTextFile, ({ params }) => {
            open.delete(params.path);
            fs.writeFileSync(params.path, params.content);
            return {};
        })
        .onRequest(acp.methods.client.terminal.create, ({ params }) => {
            const running = spawn(params.command, params.args, { cwd: params.cwd, stdio: ["ignore", "pipe", "pipe"] });
            const made = { running, output: "" };
            for (const stream of [running.stdout, running.stderr]) stream.on("data", (data) => (made.output += data));
            made.exited = new Promise((resolve) => {
                running.once("close", (exitCode, signal) => resolve((made.exitStatus = { exitCode, signal })));
            });
            const terminalId = `terminal-${terminals.size + 1}`;
            terminals.set(terminalId, made);
            return { terminalId };
        })
        .onRequest(acp.methods.client.terminal.waitForExit, ({ params }) => terminal(params.terminalId).exited)
        .onRequest(acp.methods.client.terminal.output, ({ params }) => {
            const { output, exitStatus } = terminal(params.terminalId);
            return { output, truncated: false, exitStatus };
        })
        .onRequest(acp.methods.client.terminal.kill, ({ params }) => {
            terminal(params.terminalId).running.kill("SIGKILL");
            return {};
        })
        .onRequest(acp.methods.client.terminal.release, ({ params }) => {
            terminal(params.terminalId).isReleased = true;
            return {};
        });
    const stream = acp.ndJsonStream(toAgent.writable, fromAgent);
    const result = await editor.connectWith(stream, async (agent) => {
        const hello = await agent.request(acp.methods.agent.initialize, {
            protocolVersion: acp.PROTOCOL_VERSION,
            clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        });
        assert.equal(hello.protocolVersion, acp.PROTOCOL_VERSION);
        assert.equal(hello.agentCapabilities.loadSession, true);
        return work(agent, updates);
    });
    child.stdin.end();
    assert.deepEqual(await exited, { code: 0, signal: null });
    assert.deepEqual(failures, []);
    return result;
}

/** What a person sees in the end: messages with their pieces put together, calls with their updates. */
function seen(updates) {
    const [items, calls] = [[], new Map()];
    for (const { update } of updates) {
        const { sessionUpdate: kind, ...fields } = update;
        if (kind === "agent_message_chunk") {
            const last = items.at(-1);
            if (last?.messageId === update.messageId) last.text += update.content.text;
            else items.push({ messageId: update.messageId, text: update.content.text });
        } else if (kind === "tool_call") {
            assert.ok(!calls.has(update.toolCallId), "a call is announced once");
            const call = { status: "pending", ...fields };
            calls.set(update.toolCallId, call);
            items.push(call);
        } else if (kind === "tool_call_update") {
            const call = calls.get(update.toolCallId);
            assert.ok(call, "a call is announced before its updates");
            const order = ["pending", "in_progress", "completed", "failed"];
            const rank = (status) => Math.min(order.indexOf(status), 2);
            if (fields.status) assert.ok(rank(fields.status) > rank(call.status), `${call.status} → ${fields.status}`);
            Object.assign(call, fields);
        }
    }
    return items;
}

const prompt = (text) => [{ type: "text", text }];
const selected = (optionId) => ({ outcome: { outcome: "selected", optionId } });
const until = async (found) => {
    for (let tries = 0; tries < 3000; tries += 1) {
        const value = found();
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`it never came: ${found}`);
};

const hello = path.join(workspace, "hello.txt");
open.set(hello, "an unsaved line\n");

const questions = [];
let onQuestion;
const { sessionId, live } = await withAgent(
    (params, agent) => {
        questions.push(params);
        return onQuestion(params, agent);
    },
    async (agent, updates) => {
        const { sessionId, modes, configOptions } = await agent.request(acp.methods.agent.session.new, { cwd: workspace, mcpServers: [] });
        assert.equal(modes.currentModeId, "ask");
        assert.deepEqual(configOptions.map((option) => option.id), ["mode", "model", "tools"]);
        const turn = (text) => agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: prompt(text) });

        // Turn 1.
        onQuestion = ({ options, toolCall }) => {
            const always = options.find((option) => option.kind === "allow_always" && option.name.includes("bash("));
            return selected((toolCall.name === "bash" && always ? always : options[0]).optionId);
        };
        assert.equal((await turn("Fix the greeting.")).stopReason, "end_turn");
        assert.equal(fs.readFileSync(hello, "utf8"), "an saved line\n");
        const first = seen(updates);
        const [read, edit, bash, outside] = first.filter((item) => item.toolCallId);
        assert.equal(first[0].text, "I read it first. ");
        assert.equal(read.kind, "read");
        assert.deepEqual(read.locations, [{ path: hello, line: 1 }]);
        assert.match(read.content[0].content.text, /an unsaved line/);
        assert.equal(edit.kind, "edit");
        assert.equal(edit.status, "completed");
        const { path: changed, oldText, newText } = edit.content.find((content) => content.type === "diff");
        assert.deepEqual([changed, oldText.trim(), newText.trim()], [hello, "an unsaved line", "an saved line"]);
        assert.equal(bash.kind, "execute");
        assert.equal(bash.title, "echo from the $PWD; exit 3");
        const shown = updates.find(({ update }) => update.content?.[0]?.type === "terminal");
        assert.equal(shown.update.toolCallId, bash.toolCallId);
        assert.match(JSON.stringify(bash.content), new RegExp(`from the ${workspace}.*Exit code 3`));
        assert.ok([...terminals.values()].every((made) => made.isReleased));
        assert.equal(outside.status, "failed");
        assert.equal(outside.rawOutput.error.code, "OUTSIDE_WORKSPACE");
        assert.deepEqual(questions.map((question) => question.toolCall.name), ["edit", "bash"]);
        const kinds = new Set(questions.flatMap((question) => question.options.map((option) => option.kind)));
        assert.deepEqual(kinds, new Set(["allow_once", "allow_always", "reject_once", "reject_always"]));

        // Turn 2.
        onQuestion = ({ options }) => selected(options[0].optionId);
        const waiting = turn("Wait.");
        const pid = await until(() => fs.existsSync(path.join(workspace, "pid")) && fs.readFileSync(path.join(workspace, "pid"), "utf8").trim());
        await agent.notify(acp.methods.agent.session.cancel, { sessionId });
        assert.equal((await waiting).stopReason, "cancelled");
        assert.throws(() => process.kill(Number(pid), 0), "the command is gone");

        // Turn 3.
        onQuestion = async () => {
            await agent.notify(acp.methods.agent.session.cancel, { sessionId });
            return { outcome: { outcome: "cancelled" } };
        };
        assert.equal((await turn("Write.")).stopReason, "cancelled");
        assert.ok(!fs.existsSync(path.join(workspace, "never.txt")));

        // Turn 4.
        onQuestion = ({ options }) => selected(options[0].optionId);
        const { configOptions: changedOptions } = await agent.request(acp.methods.agent.session.setConfigOption, { sessionId, configId: "tools", value: "both" });
        assert.equal(changedOptions.find((option) => option.id === "tools").currentValue, "both");
        assert.equal((await turn("Count.")).stopReason, "end_turn");
        const calls = seen(updates).filter((item) => item.toolCallId);
        const program = calls.find((call) => call.name === "run_code");
        const inner = calls.filter((call) => call._meta?.toolgate?.parentToolCallId === program.toolCallId);
        assert.deepEqual(inner.map((call) => [call.name, call.status]), [["glob", "completed"], ["read", "completed"]]);
        assert.deepEqual(JSON.parse(program.rawOutput.content[0].text), [1, 1]);
        await agent.request(acp.methods.agent.session.setMode, { sessionId, modeId: "never" });
        return { sessionId, live: seen(updates) };
    },
);

// Another process tells the same.
await withAgent(
    () => assert.fail("nothing is asked"),
    async (agent, updates) => {
        const { sessions } = await agent.request(acp.methods.agent.session.list, { cwd: workspace });
        assert.deepEqual(sessions.map((session) => [session.sessionId, session.title]), [[sessionId, "Fix the greeting."]]);
        await agent.request(acp.methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] });
        assert.deepEqual(seen(updates), live);
        const said = updates.filter(({ update }) => update.sessionUpdate === "user_message_chunk");
        assert.deepEqual(said.map(({ update }) => update.content.text), ["Fix the greeting.", "Wait.", "Write.", "Count."]);
        await agent.request(acp.methods.agent.session.close, { sessionId });
        await agent.request(acp.methods.agent.session.resume, { sessionId, cwd: workspace });
        await assert.rejects(
            agent.request(acp.methods.agent.session.prompt, { sessionId: "0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f", prompt: prompt("?") }),
            (error) => error.code === -32002,
        );
    },
);

for (const message of ["session/update Notification", "session/request_permission Response", "terminal/kill Request", "session/load Response"]) {
    assert.ok(checked.has(message), `${message} was never seen`);
}
console.log(`checked ${checked.size} kinds of messages`);
