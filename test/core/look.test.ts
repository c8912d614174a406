import { describe, expect, test } from "vitest";
import { nextLook } from "../../core/session/look.ts";
import {
  answer,
  apply,
  created,
  DEADLINE_SECONDS,
  lose,
  nextLeg,
  ok,
  park,
  pause,
  request,
  resume,
  settlePause,
  steer,
  stop,
  submit,
  waiting,
} from "../support/commands.ts";
import { at, moment, type Past, story } from "../support/specification.ts";

const minutes = (count: number): number => count * 60;
const look = ({ state }: Past, seconds: number) => nextLook(state, Date.parse(moment(seconds)));
const soon = (seconds: number) => ({ lane: "soon", at: moment(seconds) });
const rest = (seconds: number) => ({ lane: "rest", at: moment(seconds) });

const one = story(created("queue"), ...waiting());
const paused = story(created("queue"), apply(), answer(1), pause(), settlePause(), park("t1"));
const day = minutes(24 * 60);

describe("the sweep looks", () => {
  test("never at an idle session, nor at an interrupted run without calls", () => {
    expect(look(created(), 0)).toBeNull();
    expect(look(story(created("queue"), apply(), lose()), 5)).toBeNull();
  });

  test("a minute after a start, whatever is committed in that minute", () => {
    expect(look(created("queue"), 0)).toEqual(soon(60));
    expect(look(story(created("queue"), apply(), steer()), 59)).toEqual(soon(60));
  });

  test("at a run of which nothing is heard after 1, 2, 4 and 8 minutes, and then every fifteen", () => {
    const past = story(created("queue"), apply());
    const looks = [59, 61, 122, 242, 482, 962, 962 + 900].map((seconds) => look(past, seconds)?.at);
    // It was heard of at second 1, and looks come at whole minutes.
    expect(looks).toEqual([1, 3, 5, 9, 17, 32, 47].map((minute) => moment(minutes(minute))));
  });

  test("later at a run that is heard of, at most once a minute", () => {
    const past = story(created("queue"), apply(), at(300, steer()));
    expect(look(past, 300)).toEqual(soon(minutes(6)));
    expect(look(story(past, at(320, steer())), 320)).toEqual(soon(minutes(7)));
    expect(look(story(past, at(350, steer())), 350)).toEqual(soon(minutes(7)));
  });

  test.each<[string, Past]>([
    ["a result", story(one, park("t1"), at(300, submit(ok(0))))],
    ["a resume", story(paused, at(300, resume()))],
    ["a stop", story(one, park("t1"), at(300, stop()))],
    ["the first of two results", story(created("queue"), ...waiting(2), park("t1"), at(300, submit(ok(0))))],
    ["a pause", story(one, park("t1"), at(300, pause()))],
  ])("within two minutes of %s that has to wake the run, whatever deadlines are open", (_, past) => {
    expect(look(past, 300)).toEqual(soon(minutes(6)));
  });

  test("within two minutes where the run is to go on in its next execution", () => {
    const past = story(one, at(300, steer()), at(301, nextLeg()));
    expect(look(past, 301)).toEqual(soon(minutes(6)));
  });

  test("not before its deadline at a run that waits for a call, and soon after it", () => {
    const deadline = soon(3 + DEADLINE_SECONDS + 5);
    const parked = story(one, park("t1"));
    for (const seconds of [10, 70, 300, 600]) expect(look(parked, seconds)).toEqual(deadline);
    expect(look(story(one, request(), lose()), 10)).toEqual(deadline);
  });

  test("ever more seldom at a run that waits for a client alone, at most once a day", () => {
    expect(look(paused, 70)).toEqual(rest(minutes(3)));
    expect(look(paused, minutes(20))).toEqual(rest(minutes(33)));
    const late = Date.parse(look(paused, 3 * day)?.at ?? "") - Date.parse(moment(3 * day));
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThanOrEqual(day * 1_000 + 60_000);
    const looks = new Set(Array.from({ length: 24 * 60 }, (_, minute) => look(paused, minutes(minute))?.at));
    expect(looks.size).toBeLessThanOrEqual(13);
  });

  test("always in the future, so that a look is never followed by itself", () => {
    for (const past of [created("queue"), paused, story(paused, resume())])
      for (const seconds of [60, 61, 119, 120, 121, 3_600, day])
        expect(look(past, seconds)?.at.localeCompare(moment(seconds))).toBe(1);
  });
});
