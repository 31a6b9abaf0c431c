// Mistakes that the types must catch: tsc fails if one of them compiles.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
const client = createClient<paths>();
const params = { path: { game_id: "kSxTzaV4QfUqNOmB1hTj" } };

export function mistakes(game: Schemas["Game"], problem: Schemas["AmbiguousMoveProblem"]) {
  const moves: Schemas["MovesInput"][] = [
    { from: 3, to: 0 },
    { from: 3 },
    { moves: [{ from: 3, to: 0 }, { deal: "all" }, { type: "deal" }] },
    { type: "deal" },
    // @ts-expect-error a position is a number
    { from: "3" },
    // @ts-expect-error a move without its pile
    { to: 0 },
    // @ts-expect-error a move and a batch at once
    { from: 3, to: 0, moves: [{ from: 1, to: 0 }] },
    // @ts-expect-error a tap in a batch
    { moves: [{ from: 3 }] },
    // @ts-expect-error an unknown field
    { from: 3, onto: 0 },
    // @ts-expect-error nothing at all
    {},
  ];
  const legal: Schemas["MovesInput"][] = game.legal_moves;
  const games: Schemas["NewGameInput"][] = [
    { variant: "betrothal", seed: 7, player: null },
    { daily: true, player: "Ada" },
    // @ts-expect-error an unknown variant
    { variant: "acordion" },
    // @ts-expect-error two deals at once
    { seed: "42", daily: true },
    // @ts-expect-error an event without a player
    { event: "b1hTjkSxTzaV4QfU" },
    // @ts-expect-error an unknown rule
    { options: { undo: "once" } },
  ];
  const records: Schemas["RecordInput"][] = [
    { format: "accordion-record/1", variant: "bayan", seed: "42", actions: [] },
    // @ts-expect-error a seed and a deck
    { format: "accordion-record/1", variant: "bayan", seed: "42", deck: ["4S"], actions: [] },
    // @ts-expect-error neither a seed nor a deck
    { format: "accordion-record/1", variant: "bayan", actions: [] },
  ];
  // @ts-expect-error no status of this name
  const over = game.status === "finished";
  // @ts-expect-error no problem of this name
  const busy = problem.type === "/problems/busy";
  // @ts-expect-error a member of another problem
  const reason = problem.reason;
  // @ts-expect-error no operation of this name
  const path = client.POST("/v1/games/{game_id}/jump", { params });
  return { moves, legal, games, records, over, busy, reason, path };
}
