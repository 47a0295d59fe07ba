import { setTimeout as sleep } from 'node:timers/promises';
import { integer, pick, type Random } from '../../world/random';
import type { EngineClient } from '../engine-client';

/** What has happened to the engine while it answered. */
export interface Disturbances {
  /** version → folder of its weights */
  readonly weights: Map<string, string>;
  /** versions that came in under answers which kept the cache of the weights before them */
  readonly overOldCache: Set<string>;
  pauses: number;
  updates: number;
}

export interface DisturbanceOptions {
  readonly engine: EngineClient;
  readonly random: Random;
  /** the first is served already, as `first` */
  readonly folders: readonly string[];
  readonly firstVersion: string;
  /** longest time between two of them */
  readonly pauseMs: number;
  readonly most: number;
}

/** Pauses, flushes and weight updates at random moments, `most` at most, until `isOver`. */
export async function disturb(options: DisturbanceOptions, isOver: () => boolean): Promise<Disturbances> {
  const { engine, random, folders, firstVersion, pauseMs, most } = options;
  const done: Disturbances = {
    weights: new Map([[firstVersion, folders[0] ?? '']]),
    overOldCache: new Set(),
    pauses: 0,
    updates: 0,
  };
  for (let i = 0; i < most && !isOver(); i++) {
    await sleep(integer(random, 0, pauseMs));
    const kind = random();
    if (kind < 0.2) {
      await engine.get('/flush_cache');
      continue;
    }
    const mode = pick(random, ['in_place', 'retract', 'retract'] as const);
    await engine.json('/pause_generation', { mode });
    done.pauses++;
    if (kind < 0.7) {
      const version = `v${done.updates + 1}`;
      const folder = folders[(done.updates + 1) % folders.length] ?? '';
      const isFlushing = mode === 'retract';
      const request = { model_path: folder, weight_version: version, flush_cache: isFlushing };
      const reply = await engine.json('/update_weights_from_disk', request);
      if (reply.success !== true) throw new Error(`the update failed: ${reply.message}`);
      done.weights.set(version, folder);
      if (!isFlushing) done.overOldCache.add(version);
      done.updates++;
    }
    await engine.json('/continue_generation', {});
  }
  return done;
}
