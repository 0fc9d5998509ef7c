// Keeps a page up to date, and sends its forms without leaving it. Everything works without this file, more slowly.
"use strict";
(() => {
  const MOST = 240; // entries that a page holds
  const byId = (id) => document.getElementById(id);
  const session = document.querySelector(".session");
  const timeline = byId("timeline");

  const nodes = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  };

  // Times of this place, and clocks that run.
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const localTimes = (root) => {
    for (const time of root.querySelectorAll("time[data-time]")) {
      const date = new Date(time.dateTime);
      if (!Number.isNaN(date.valueOf())) time.textContent = format.format(date);
      time.removeAttribute("data-time");
    }
  };
  const tick = () => {
    for (const time of document.querySelectorAll("time[data-since]")) {
      const seconds = Math.max(0, (Date.now() - Number(time.dataset.since)) / 1000);
      time.textContent = seconds < 60 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
    }
  };
  setInterval(tick, 1000);
  localTimes(document);
  tick();

  // How changes are shown is remembered.
  const preferSplit = (root) => {
    if (localStorage.getItem("diff") !== "split") return;
    for (const input of root.querySelectorAll(".seg input[value=split]")) input.checked = true;
  };
  document.addEventListener("change", (event) => {
    const input = event.target;
    if (input.closest?.(".seg")) localStorage.setItem("diff", input.value);
    if (input.matches?.("select[data-submit]")) input.form.requestSubmit();
  });
  preferSplit(document);

  // The end of the timeline is followed while it is in sight.
  let atEnd = session?.dataset.part !== "middle";
  const nearEnd = () => document.documentElement.scrollHeight - window.scrollY - window.innerHeight < 160;
  let follows = true;
  const jump = byId("jump");
  const toEnd = () => window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  const followed = (change) => {
    const was = session && atEnd && follows;
    change();
    if (was) toEnd();
    else if (jump && session) jump.hidden = false;
  };
  window.addEventListener("scroll", () => {
    follows = nearEnd();
    if (jump && follows && atEnd) jump.hidden = true;
  }, { passive: true });
  jump?.addEventListener("click", () => {
    if (atEnd) { toEnd(); jump.hidden = true; } else location.assign(location.pathname);
  });

  // Only so many entries are in the page; the others are fetched when they are looked for.
  const trim = (fromStart) => {
    if (!timeline) return;
    let extra = timeline.children.length - MOST;
    if (extra <= 0) return;
    while (extra-- > 0) (fromStart ? timeline.firstElementChild : timeline.lastElementChild).remove();
    const address = location.pathname;
    if (fromStart) {
      sentinel("timeline-before", "earlier", `${address}?before=${timeline.firstElementChild.dataset.seq}`, "Earlier");
    } else {
      atEnd = false;
      sentinel("timeline-after", "later", `${address}?after=${timeline.lastElementChild.dataset.seq}`, "Later");
      if (jump) jump.hidden = false;
    }
  };
  const sentinel = (place, id, address, text) => {
    const link = document.createElement("a");
    Object.assign(link, { id, className: "sentinel", href: address, textContent: text });
    byId(place).replaceChildren(link);
    watch.observe(link);
  };
  const load = async (link) => {
    if (link.dataset.loading) return;
    link.dataset.loading = "yes";
    const address = link.href.includes("/items?") ? link.href : link.href.replace("?", "/items?");
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) { delete link.dataset.loading; return; }
    const part = nodes(await answer.text());
    const items = part.querySelector("ol");
    localTimes(items);
    preferSplit(items);
    if (link.hasAttribute("data-earlier")) {
      const more = part.querySelector("#timeline-before > li");
      link.parentElement.replaceWith(...(more ? [more] : []), ...items.children);
      return;
    }
    const isEarlier = link.id === "earlier";
    const height = document.documentElement.scrollHeight;
    const top = window.scrollY;
    if (isEarlier) {
      timeline.prepend(...items.children);
      byId("timeline-before").replaceChildren(...part.querySelector("#timeline-before").children);
      window.scrollTo({ top: top + document.documentElement.scrollHeight - height, behavior: "instant" });
      trim(false);
    } else {
      timeline.append(...items.children);
      byId("timeline-after").replaceChildren(...part.querySelector("#timeline-after").children);
      atEnd = !byId("later");
      trim(true);
    }
    for (const id of ["earlier", "later"]) if (byId(id)) watch.observe(byId(id));
  };
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting && entry.target.isConnected) load(entry.target);
  }, { rootMargin: "400px" });
  if (timeline) {
    if (atEnd && !location.hash) toEnd();
    setTimeout(() => { for (const id of ["earlier", "later"]) if (byId(id)) watch.observe(byId(id)); }, 100);
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-earlier]");
    if (link) { event.preventDefault(); load(link); }
  });

  // What the server tells.
  const put = ({ id, html, in: list }) => {
    const old = byId(id);
    const part = nodes(html);
    localTimes(part);
    preferSplit(part);
    if (old) {
      const focused = old.contains(document.activeElement);
      old.replaceWith(part);
      if (focused) byId(id)?.querySelector("[tabindex], a, button")?.focus({ preventScroll: true });
    } else if (list && byId(list) && (list !== "timeline" || atEnd)) {
      byId(list).append(part);
    }
  };
  const partial = { n: 0 };
  const showPartial = () => {
    const box = byId("partial");
    if (box) box.hidden = !byId("partial-text").textContent && !byId("partial-calls").textContent;
  };
  const handlers = {
    hello: () => {},
    entries: (changes) => followed(() => {
      changes.forEach(put);
      if (atEnd && follows) trim(true);
      tick();
    }),
    reload: () => location.reload(),
    partial: ({ n, text, calls }) => {
      if (!byId("partial")) return;
      partial.n = n;
      byId("partial-text").textContent = text;
      byId("partial-calls").textContent = calls?.length ? `Prepares ${calls.join(", ")}` : "";
      followed(showPartial);
    },
    delta: ({ n, text, call }) => {
      if (!byId("partial") || n <= partial.n) return;
      partial.n = n;
      followed(() => {
        if (text) byId("partial-text").append(text);
        if (call) byId("partial-calls").textContent += byId("partial-calls").textContent ? `, ${call}` : `Prepares ${call}`;
        showPartial();
      });
    },
    working: ({ working }) => {
      if (!byId("composer")) return;
      byId("composer").dataset.working = working;
      byId("say-button").textContent = working ? "Steer" : "Send";
      byId("stop-button").hidden = !working;
    },
    questions: ({ count, html }) => {
      const badge = byId("open-questions");
      badge.hidden = count === 0;
      badge.textContent = count;
      document.title = document.title.replace(/^(\(\d+\) )?/, count ? `(${count}) ` : "");
      const place = byId("questions");
      if (!place) return;
      const wanted = nodes(html);
      const ids = new Set([...wanted.children].map((child) => child.id));
      followed(() => {
        for (const child of [...place.children]) if (!ids.has(child.id)) child.remove();
        for (const child of [...wanted.children]) if (!byId(child.id)) place.append(child);
      });
      if (byId("no-questions")) byId("no-questions").hidden = ids.size > 0;
    },
    list: ({ html }) => {
      const list = byId("list");
      if (list.contains(document.activeElement)) {
        const address = document.activeElement.getAttribute("href");
        list.replaceChildren(nodes(html));
        list.querySelector(`a[href="${CSS.escape(address ?? "")}"]`)?.focus({ preventScroll: true });
      } else list.replaceChildren(nodes(html));
      localTimes(list);
    },
  };

  let source = null;
  let seen = null;
  let wait = 500;
  const say = (text) => { byId("link").textContent = text; };
  const connect = () => {
    if (source || !document.body.dataset.live) return;
    const address = new URL(document.body.dataset.live, location.href);
    if (seen !== null) address.searchParams.set("after", seen);
    source = new EventSource(address);
    source.onopen = () => { say(""); wait = 500; };
    source.onerror = () => {
      say("Reconnecting…");
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(connect, wait);
      wait = Math.min(wait * 2, 10000);
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) seen = event.lastEventId;
        handle(JSON.parse(event.data));
      });
    }
  };
  // A browser has six connections to a server, so pages that nobody sees give theirs back. They are told what they missed.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connect();
    else { source?.close(); source = null; }
  });
  connect();

  // Forms that stay on the page.
  const trouble = (form, text) => {
    let note = form.querySelector(".failure");
    if (!note) {
      note = document.createElement("p");
      note.className = "failure";
      note.setAttribute("role", "alert");
      (form.children.length ? form : byId("composer") ?? document.querySelector("main")).append(note);
    }
    note.textContent = text;
  };
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const isCall = form.hasAttribute("data-call");
    if (!isCall && !form.hasAttribute("data-send")) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    if (isCall) byId("outcome").innerHTML = "<p class=\"quiet\">Running…</p>";
    try {
      const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
      if (isCall) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        byId("outcome").replaceChildren(...(page.getElementById("outcome") ?? page.querySelector("main")).childNodes);
        preferSplit(byId("outcome"));
      } else if (answer.type === "opaqueredirect" || answer.ok) {
        form.querySelector(".failure")?.remove();
        const text = form.querySelector("textarea");
        if (text) { text.value = ""; text.focus(); }
      } else {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        trouble(form, page.querySelector(".failure")?.textContent ?? page.body.textContent);
      }
    } catch {
      trouble(form, "The server cannot be reached.");
    } finally {
      buttons.forEach((button) => { button.disabled = false; });
    }
  });

  // Keys: Ctrl-Enter sends; letters and digits answer the first question.
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches?.("textarea[data-submit]")) {
      event.preventDefault();
      target.form.requestSubmit();
      return;
    }
    const isWriting = target.matches?.("input, textarea, select") || target.isContentEditable;
    if (isWriting || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const question = document.querySelector("#questions .question");
    const button = question && [...question.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key.toLowerCase());
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
  });
})();
