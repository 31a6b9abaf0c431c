// A front end in TypeScript with a client generated from openapi.yaml: it plays a game
// by hints, and handles a tap with two targets and a version that is not current.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Game = components["schemas"]["Game"];
type Problem = components["schemas"]["Problem"];

const client = createClient<paths>({ baseUrl: process.env["ACCORDION_URL"] ?? "" });

function expectData<Value>(data: Value | undefined, problem: Problem | undefined): Value {
  if (data === undefined) throw new Error(problem?.detail ?? "no problem document");
  return data;
}

async function start(
  body: components["schemas"]["NewGameInput"],
): Promise<Game> {
  const { data, error } = await client.POST("/v1/games", { body });
  return expectData(data, error);
}

/** The path of a game, and the precondition that its version is current. */
function at({ id, version }: { id: string; version: number }) {
  return { path: { game_id: id }, header: { "If-Match": `"${version}"` } };
}

async function playByHints(game: Game): Promise<Game> {
  while (game.status === "playing") {
    const asked = await client.POST("/v1/games/{game_id}/hint", {
      params: at(game),
      body: { budget_ms: 2000 },
    });
    const { action } = expectData(asked.data, asked.error);
    assert(action !== null);
    const made = await client.POST("/v1/games/{game_id}/moves", {
      params: at(game),
      body: action,
    });
    game = expectData(made.data, made.error);
  }
  return game;
}

async function targetsOfTap(game: Game, from: number): Promise<number[]> {
  const { error } = await client.POST("/v1/games/{game_id}/moves", {
    params: at(game),
    body: { from },
  });
  if (error?.type !== "/problems/ambiguous-move") throw new Error(error?.detail);
  return error.targets;
}

async function currentVersion(game: Game): Promise<number> {
  const { error } = await client.POST("/v1/games/{game_id}/moves", {
    params: at({ id: game.id, version: 99 }),
    body: { from: 3, to: 0 },
  });
  if (error?.type !== "/problems/version-mismatch") throw new Error(error?.detail);
  return error.version;
}

const won = await playByHints(await start({ seed: "42", player: "Ada" }));
assert.equal(won.rating, "full");

const small = await start({ deck: ["4S", "7H", "QC", "4C"] });
assert.deepEqual(await targetsOfTap(small, 3), [0, 2]);
assert.equal(await currentVersion(small), 1);

const record = await client.GET("/v1/games/{game_id}/record", {
  params: { path: { game_id: won.id } },
});
const replay = await client.POST("/v1/replays", {
  body: expectData(record.data, record.error),
});
const outcome = expectData(replay.data, replay.error);
assert(outcome.valid && outcome.row.length === 1);
console.log(`${won.player} has won with ${won.moves} moves`);
