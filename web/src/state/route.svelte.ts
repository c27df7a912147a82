import { Query } from "../logic/link";

/** Where we are: the part of the address after `#`. */
export const route = $state({ path: "/", query: "" });

function read(): void {
  const hash = location.hash.replace(/^#/, "") || "/";
  const mark = hash.indexOf("?");
  route.path = mark < 0 ? hash : hash.slice(0, mark);
  route.query = mark < 0 ? "" : hash.slice(mark + 1);
}

export function followRoute(): void {
  read();
  window.addEventListener("hashchange", read);
}

export function go(hash: string): void {
  location.hash = hash;
}

/** Writes the address without going anywhere: a match that goes on is the same page. */
export function rewrite(hash: string): void {
  if (location.hash !== hash) history.replaceState(history.state, "", hash);
}

export function routeQuery(): Query {
  return new Query(route.query);
}
