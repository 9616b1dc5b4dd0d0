import { Window } from "happy-dom";

/** Follows each link of each page of a site. @returns the paths of those that lead to no page, or out of `start` on the same server. */
export async function deadLinks(start: string): Promise<string[]> {
  const window = new Window();
  const seen = new Set<string>();
  const dead: string[] = [];
  const visit = async (url: string): Promise<void> => {
    if (seen.has(url)) return;
    seen.add(url);
    const answer = await fetch(url);
    const text = await answer.text();
    if (!answer.ok || !url.startsWith(start)) {
      dead.push(new URL(url).pathname);
      return;
    }
    if (!answer.headers.get("content-type")?.startsWith("text/html")) return;
    const page = new window.DOMParser().parseFromString(text, "text/html");
    for (const element of page.querySelectorAll("[href], [src]")) {
      const link = element.getAttribute("href") ?? element.getAttribute("src") ?? "";
      const target = new URL(link, url);
      if (target.origin === new URL(start).origin) await visit(target.href);
    }
  };
  await visit(start);
  await window.happyDOM.close();
  return dead;
}
