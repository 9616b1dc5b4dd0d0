// Writes review.md as the one comment of this job in a merge request of GitLab. GITLAB_TOKEN is an access token of the project with the scope `api`.
import { readFileSync } from "node:fs";

const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: number, GITLAB_TOKEN: token } = process.env;
const notes = `/projects/${project}/merge_requests/${number}/notes`;
const mark = "<!-- webextract review -->";

async function request(method, path, body) {
  const headers = { "PRIVATE-TOKEN": token, "content-type": "application/json" };
  const response = await fetch(api + path, { method, headers, body: body && JSON.stringify({ body }) });
  if (!response.ok) {
    throw new Error(`${method} ${path}: GitLab responded with ${response.status}.`);
  }
  return response.json();
}

const { id: own } = await request("GET", "/user");
const all = await request("GET", `${notes}?sort=asc&order_by=created_at&per_page=100`);
const last = all.find(({ author, body }) => author.id === own && body.startsWith(mark));
const text = `${mark}\n${readFileSync("review.md", "utf8")}`;
await (last === undefined ? request("POST", notes, text) : request("PUT", `${notes}/${last.id}`, text));
