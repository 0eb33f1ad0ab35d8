// What is at work, as it changes.
import { Cards, updates } from "./cards.js";
import { ask, byId, fail, listen, make } from "./common.js";

const cards = new Cards(byId("jobs"));
const STATES = {
  waiting: "waits", running: "at work", stopping: "is being saved", done: "done", failed: "failed", stopped: "stopped",
  interrupted: "was interrupted",
};

listen("/api/jobs/events", { jobs: show });

function show({ jobs, runs }) {
  byId("none").hidden = jobs.length + runs.length > 0;
  cards.show([...jobs.map(jobCard), ...runs.map((run) => cards.ofRun(run))]);
}

function jobCard(job) {
  const made = cards.of(job.id, job.title);
  made.querySelector(".status").textContent = STATES[job.state] ?? job.state;
  made.querySelector("progress").value = job.share;
  made.querySelector("progress").hidden = !job.under_way;
  const [first] = job.runs;
  const far = job.total > 1 ? `${job.done} of ${job.total} runs` : first ? updates(first) : "";
  made.querySelector(".said").textContent = job.message || far;
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

async function act(id, what) {
  try {
    await ask(`/api/jobs/${id}/${what}`, { method: "POST" });
  } catch (error) {
    fail(error);
  }
}
