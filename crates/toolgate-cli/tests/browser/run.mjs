// Real sessions in a real browser: every kind of card from a real call, a program watched live, approvals, steering,
// an interrupt, a restart of the server, two browsers, and an audit of accessibility. Run by tests/it/browser.rs, which says
// where everything is. Pictures are left in the folder OUT.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";

const { TOOLGATE, HOME_FOLDER, OUT, CHROMIUM } = process.env;
const WORK = join(HOME_FOLDER, "work");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

// The far side of the network: a page, and a provider of searches.
const site = createServer((request, response) => {
  if (request.url.startsWith("/page")) {
    response.setHeader("content-type", "text/html");
    response.end("<title>Beans</title><h1>Beans</h1><p>All about beans.</p>");
  } else {
    response.setHeader("content-type", "application/json");
    const results = [1, 2, 3].map((n) => ({ title: `Beans, part ${n} <script>`, url: `https://beans.example/${n}`, description: "About beans." }));
    response.end(JSON.stringify({ web: { results } }));
  }
});
await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
const siteAddress = `http://127.0.0.1:${site.address().port}`;

mkdirSync(join(WORK, "src"), { recursive: true });
mkdirSync(join(HOME_FOLDER, ".config/toolgate"), { recursive: true });
mkdirSync(OUT, { recursive: true });
writeFileSync(join(HOME_FOLDER, ".config/toolgate/toolgate.toml"),
  `[web]\nallow_private = ["127.0.0.1"]\n[web.search]\nbase_url = "${siteAddress}"\nkey = { environment = "SEARCH_KEY" }\n`);
writeFileSync(join(WORK, "src/beans.rs"), `//! How many beans there are.

/// Counts beans.
pub fn count(beans: &[&str]) -> usize {
    let mut total = 0;
    for bean in beans {
        if !bean.is_empty() { // an empty one is none
            total += 1;
        }
    }
    total
}
`);
writeFileSync(join(WORK, "README.md"), "# Beans\n\nCounts beans.\n");
writeFileSync(join(WORK, "big.txt"), Array.from({ length: 40000 }, (_, n) => `line ${n}: all about beans`).join("\n"));

const call = (name, args) => `[[answer.calls]]\nname = ${JSON.stringify(name)}\narguments = ${JSON.stringify(JSON.stringify(args))}\n`;
const answer = (text, calls = [], more = "") => `[[answer]]\ntext = ${JSON.stringify(text)}\n${more}usage = { input = 1840, output = 212 }\n${calls.join("")}\n`;
const program = `const [source, hits, slow] = await Promise.all([
  tools.read({ file_path: "src/beans.rs" }),
  tools.grep({ pattern: "bean" }),
  tools.bash({ command: "sleep 3; echo counted", description: "Count slowly" }),
]);
console.log(hits.total, "lines speak of beans");
return slow;`;
writeFileSync(join(HOME_FOLDER, "script.toml"), [
  answer("I look at what is there first.", [
    call("read", { file_path: "src/beans.rs" }),
    call("grep", { pattern: "bean" }),
    call("glob", { pattern: "**/*" }),
    call("bash", { command: "printf '\\033[1;32m   Compiling\\033[0m beans v0.1.0\\n\\033[1;33mwarning\\033[0m: unused bean\\n\\033[31merror\\033[0m: two beans\\n'; exit 3", description: "Build the crate" }),
    call("web_fetch", { url: `${siteAddress}/page` }),
    call("web_search", { query: "beans" }),
    call("bash", { command: "cat big.txt", description: "Print much" }),
  ]),
  answer("Now a program that looks at several things at once.", [call("run_code", { description: "Look at three things at once", code: program })], "delay_ms = 200\n"),
  answer("I write down what I found.", [call("write", { file_path: "NOTES.md", content: "# Notes\n\n- beans are counted in `src/beans.rs`\n" })]),
  answer("And change the code.", [call("edit", { file_path: "src/beans.rs", old_string: "    let mut total = 0;\n", new_string: "    let mut total = 0_usize;\n    let none = 0;\n" })]),
  answer("## Done\n\nThe beans are **counted** in `src/beans.rs`:\n\n```rust\npub fn count(beans: &[&str]) -> usize\n```\n\n| what | how many |\n|---|---|\n| beans | 3 |\n\n- the notes were written\n- the change was *not* made"),
  answer("This takes a while.", [call("bash", { command: "sleep 600", description: "Wait" })]),
  answer("After the restart everything is still here."),
].join("\n"));

// The server, as somebody starts it.
let server = null;
const start = async () => {
  server = spawn(TOOLGATE, ["web", "--listen", `127.0.0.1:${process.env.PORT}`, "--script", join(HOME_FOLDER, "script.toml"), "-C", WORK,
    "--sessions", join(HOME_FOLDER, "sessions"), "--mode", "both", "--allow", "bash(printf:*)", "--allow", "bash(cat:*)", "--allow", "bash(sleep:*)", "--allow", "bash(echo:*)",
    "--allow", "bash(exit:*)", "--allow", "web_fetch", "--allow", "web_search"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: HOME_FOLDER, SEARCH_KEY: "key" },
  });
  let shown = "";
  for await (const chunk of server.stdout) {
    shown += chunk;
    if (shown.includes("\n")) break;
  }
  return shown.trim();
};
const stop = () => new Promise((ended) => { server.once("exit", ended); server.kill("SIGINT"); });

let link = await start();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
const requests = [];
const faults = [];
const open = async (options, address) => {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
  page.on("pageerror", (error) => faults.push(String(error)));
  if (address) await page.goto(address);
  return page;
};
// The whole page, from its top; the place where it was is found again.
const shot = async (page, name) => {
  const top = await page.evaluate(() => { const at = window.scrollY; window.scrollTo(0, 0); return at; });
  await page.screenshot({ path: join(OUT, `${name}.png`), fullPage: true });
  await page.evaluate((at) => window.scrollTo(0, at), top);
};
// What is in the window.
const glance = (page, name) => page.screenshot({ path: join(OUT, `${name}.png`) });
const audit = async (page, name) => {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`);
  assert.deepEqual(told, [], `the page ${name} has faults of accessibility`);
};
const step = async (name, work) => {
  const began = Date.now();
  await work();
  console.log(`${name}: ${Date.now() - began} ms`);
};

try {
  const one = await open({ colorScheme: "light" }, link);
  let two = null;

  await step("a second browser gets a link of its own", async () => {
    await one.getByRole("button", { name: "A link for another browser" }).click();
    const other = (await one.getByRole("group", { name: "Link" }).textContent()).trim();
    two = await open({ colorScheme: "dark" }, other);
    await two.getByRole("heading", { name: "Sessions" }).waitFor();
    const used = await open({}, other);
    assert.match(await used.textContent("body"), /used already/);
    await used.context().close();
    await one.goto(new URL("/", link).href);
  });

  await step("a session begins with the keyboard alone", async () => {
    await one.getByLabel("What is there to do?").focus();
    await one.keyboard.type("Count the beans, and write down how many there are.");
    await one.keyboard.press("Control+Enter");
    await one.waitForURL(/\/sessions\//);
    // The other browser sees it in its list without asking again.
    await two.getByRole("link", { name: /Count the beans/ }).click();
  });

  await step("a program is watched while its calls run", async () => {
    for (const page of [one, two]) {
      await page.locator("[data-tool=run_code] .state", { hasText: "running" }).waitFor();
      await page.locator(".subs [data-tool=bash] .state", { hasText: "running" }).waitFor();
      assert.ok(await page.locator(".subs .card").count() >= 1);
    }
    await shot(one, "program-live");
    await one.locator("[data-tool=run_code] .state", { hasText: "done" }).waitFor();
    assert.equal(await one.locator(".subs .card").count(), 3);
    assert.match(await one.locator("p.count").first().textContent(), /3 calls/);
  });

  await step("an approval that is given in one browser closes in the other", async () => {
    for (const page of [one, two]) await page.locator(".question").waitFor();
    assert.match(await two.title(), /^\(1\)/);
    await glance(two, "approval-dark");
    await audit(one, "with a question");
    assert.ok(!existsSync(join(WORK, "NOTES.md")));
    await one.locator("#say").blur();
    await one.keyboard.press("y");
    await two.locator("[data-tool=write] .state", { hasText: "done" }).waitFor();
    assert.ok(existsSync(join(WORK, "NOTES.md")));
  });

  await step("one that is rejected does nothing", async () => {
    await two.locator(".question", { hasText: "edit" }).waitFor();
    const before = readFileSync(join(WORK, "src/beans.rs"), "utf8");
    await two.getByRole("button", { name: "Reject" }).click();
    await one.locator("[data-tool=edit] .state", { hasText: "refused" }).waitFor();
    assert.equal(await one.locator(".question").count(), 0);
    assert.equal(readFileSync(join(WORK, "src/beans.rs"), "utf8"), before);
  });

  await step("every kind of card is there", async () => {
    await one.locator(".end .pill", { hasText: "Done" }).waitFor();
    const has = (selector) => one.locator(selector).first().waitFor({ state: "attached" });
    await has("[data-tool=read] .code .tk-w");
    await has("[data-tool=grep] .found .group");
    await has("[data-tool=glob] .paths li");
    await has("[data-tool=bash] .screen .af2.abold");
    await has("[data-tool=bash] .pill.bad >> text=exit 3");
    await has("[data-tool=web_fetch] .fetched .pill.ok");
    await has("[data-tool=web_search] .sources a[rel~=noreferrer]");
    await has("[data-tool=write] .unified .come");
    await has("[data-tool=run_code] .program .tk-w");
    await has(".prose table");
    await one.locator("[data-tool=write] .seg").getByText("Side by side").click();
    await one.locator("[data-tool=write] .split").waitFor({ state: "visible" });
    await glance(one, "change-split");
    await one.locator("[data-tool=write] .seg").getByText("Unified").click();
    await one.evaluate(() => document.querySelector("[data-tool=write]").scrollIntoView({ block: "center" }));
    await glance(one, "change-light");
    await shot(one, "session-light");
    await shot(two, "session-dark");
    await audit(one, "of a session");
    await audit(two, "of a session, dark");
  });

  await step("what was cut is opened page by page", async () => {
    await one.locator("a.kept").first().click();
    await one.getByRole("heading", { name: "What was cut" }).waitFor();
    await one.getByRole("link", { name: "Later" }).first().click();
    await one.getByRole("link", { name: "Earlier" }).first().waitFor();
    await audit(one, "of what was cut");
    await one.getByRole("link", { name: "Session", exact: false }).last().click();
    await one.locator("#composer").waitFor();
  });

  await step("a turn is interrupted", async () => {
    await one.goto(two.url());
    await one.getByLabel("Say something to the agent").fill("Now wait.");
    await one.keyboard.press("Control+Enter");
    await two.locator("[data-tool=bash] .state", { hasText: "running" }).waitFor();
    await two.getByRole("button", { name: "Interrupt" }).click();
    await one.locator(".end .pill", { hasText: "Interrupted" }).waitFor();
  });

  await step("browsers come back after the server was started again, and miss nothing", async () => {
    await one.waitForFunction(() => document.getElementById("stop-button").hidden);
    const before = await one.locator("#timeline > li").count();
    await stop();
    await one.locator("#link", { hasText: "Reconnecting" }).waitFor();
    await start();
    for (const page of [one, two]) await page.waitForFunction(() => document.getElementById("link").textContent === "");
    await one.getByLabel("Say something to the agent").fill("Are you still there?");
    await one.getByRole("button", { name: "Send" }).click();
    for (const page of [one, two]) {
      await page.getByText("After the restart everything is still here.").waitFor();
      await page.locator(".end .pill", { hasText: "Done" }).nth(1).waitFor();
      const ids = await page.locator("#timeline > li").evaluateAll((items) => items.map((item) => Number(item.dataset.seq)));
      assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => a - b), "each entry once, in order");
      assert.ok(ids.length > before);
    }
    // Loaded anew, the page is what the stream made of it.
    const text = (page) => page.locator("#timeline").evaluate((list) => {
      list.querySelectorAll("time").forEach((time) => time.remove());
      return list.innerText;
    });
    const live = await text(two);
    await two.reload();
    assert.equal(await text(two), live);
  });

  await step("the other pages are sound", async () => {
    for (const [path, name] of [["/", "sessions"], ["/approvals", "approvals"], ["/tools", "tools"], ["/tool?name=grep", "tool"],
      ["/policy?tool=bash&arguments=%7B%22command%22%3A%22printf%20a%20%26%26%20rm%20-rf%20b%22%7D", "policy"], ["/statistics", "statistics"]]) {
      for (const [page, scheme] of [[one, "light"], [two, "dark"]]) {
        await page.goto(new URL(path, link).href);
        await shot(page, `${name}-${scheme}`);
        await audit(page, `${name}, ${scheme}`);
      }
    }
    await one.goto(new URL("/tool?name=grep", link).href);
    await one.getByLabel(/^pattern/).fill("bean");
    await one.getByRole("button", { name: "Call", exact: true }).click();
    await one.locator("#outcome .found .group").first().waitFor();
    await shot(one, "tool-called");
  });

  await step("a narrow window is enough", async () => {
    const state = await one.context().storageState();
    const narrow = await open({ viewport: { width: 360, height: 740 }, storageState: state, reducedMotion: "reduce" });
    for (const [path, name] of [["/", "sessions"], ["/tools", "tools"], ["/statistics", "statistics"]]) {
      await narrow.goto(new URL(path, link).href);
      await shot(narrow, `${name}-360`);
      assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= 360), `${name} is wider than the window`);
    }
    await narrow.goto(new URL("/", link).href);
    await narrow.locator(".sessions a").first().click();
    await narrow.locator("#composer").waitFor();
    assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= 360), "a session is wider than the window");
    await glance(narrow, "session-360");
    await audit(narrow, "of a session, narrow");
    await narrow.context().close();
  });

  const foreign = requests.filter((address) => !address.startsWith(new URL("/", link).href));
  assert.deepEqual(foreign, [], "nothing is asked of others");
  const unexpected = faults.filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|401|ERR_NETWORK|ERR_EMPTY_RESPONSE/.test(text));
  assert.deepEqual(unexpected, [], "the console is quiet");
} catch (error) {
  for (const [at, context] of browser.contexts().entries()) {
    for (const page of context.pages()) await shot(page, `failed-${at}`).catch(() => {});
  }
  throw error;
} finally {
  await browser.close();
  server.kill("SIGKILL");
  site.close();
}
