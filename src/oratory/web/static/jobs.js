// What is at work, as it changes.
import { ask, fail, listen, make } from "./common.js";

const place = document.getElementById("jobs");
const cards = new Map();
const STATES = {
  waiting: "waits", running: "at work", stopping: "is being saved", done: "done", failed: "failed", stopped: "stopped",
  interrupted: "was interrupted",
};

listen("/api/jobs/events", { jobs: show });

function show({ jobs, runs }) {
  document.getElementById("none").hidden = jobs.length + runs.length > 0;
  const wanted = [...jobs.map(jobCard), ...runs.map(runCard)];
  for (const [id, card] of cards) {
    if (!wanted.includes(card)) {
      card.remove();
      cards.delete(id);
    }
  }
  // Cards stay where they are, so that nobody loses the focus.
  wanted.forEach((card, at) => {
    if (place.children[at] !== card) place.insertBefore(card, place.children[at] ?? null);
  });
}

function card(id, title) {
  if (!cards.has(id)) {
    const made = make("section", { class: "card", id, "aria-label": title },
      make("h3", {}, title, " ", make("span", { class: "status" })),
      make("progress", { max: 1, value: 0, "aria-label": "Share that is done" }),
      make("p", { class: "said" }), make("p", { class: "links" }), make("p", { class: "tools" }));
    cards.set(id, made);
  }
  return cards.get(id);
}

function jobCard(job) {
  const made = card(job.id, job.title);
  made.querySelector(".status").textContent = STATES[job.state] ?? job.state;
  made.querySelector("progress").value = job.share;
  made.querySelector("progress").hidden = !job.under_way;
  const [first] = job.runs;
  const steps = job.total === 1 && first?.steps ? `${first.step.toLocaleString("en")} of ${first.steps.toLocaleString("en")} updates` : "";
  const runs = job.total > 1 ? `${job.done} of ${job.total} runs` : steps;
  made.querySelector(".said").textContent = job.message || runs;
  made.querySelector(".said").classList.toggle("wrong", job.state === "failed");
  made.querySelector(".links").replaceChildren(
    ...job.runs.flatMap(({ run }) => [make("a", { href: `/runs/${run}` }, run), " "]),
    ...(job.total > 1 && job.state === "done" ? [make("a", { href: "/comparisons" }, "Its verdicts")] : []));
  controls(made, job);
  return made;
}

function controls(made, job) {
  const tools = made.querySelector(".tools");
  if (tools.dataset.state === job.state) return;
  tools.dataset.state = job.state;
  tools.replaceChildren(
    ...(job.under_way ? [make("button", { type: "button", disabled: job.state === "stopping", onclick: () => act(job.id, "stop") },
      job.state === "waiting" ? "Take out of the queue" : "Stop and save")] : []),
    ...(job.can_continue ? [make("button", { type: "button", class: "primary", onclick: () => act(job.id, "again") }, "Continue")] : []),
    output(job));
}

// What the command has said, asked for when somebody wants to read it.
function output(job) {
  const text = make("pre", { tabindex: 0 });
  const load = async () => {
    try {
      const { lines } = await ask(`/api/jobs/${job.id}`);
      text.textContent = [`$ ${job.command}`, ...lines].join("\n");
    } catch (error) {
      fail(error);
    }
  };
  return make("details", { ontoggle: (event) => event.target.open && load() }, make("summary", {}, "The command and what it says"), text);
}

function runCard(run) {
  const made = card(run.run, run.run);
  made.querySelector(".status").textContent = run.status;
  made.querySelector("progress").value = run.share;
  made.querySelector(".said").textContent = run.steps ? `${run.step.toLocaleString("en")} of ${run.steps.toLocaleString("en")} updates` : "";
  made.querySelector(".links").replaceChildren(make("a", { href: `/runs/${run.run}` }, "Its curves"));
  return made;
}

async function act(id, what) {
  try {
    await ask(`/api/jobs/${id}/${what}`, { method: "POST" });
  } catch (error) {
    fail(error);
  }
}
