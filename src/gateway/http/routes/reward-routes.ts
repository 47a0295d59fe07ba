import { Hono } from 'hono';
import { interactionId, raterId, type SessionId } from '../../../shared/domain/ids';
import { ok, type Result } from '../../../shared/lib/result';
import { MAX_REWARD, setRewardRequestSchema } from '../../../shared/wire/rl';
import { type ReadSessionsPorts, readInteraction } from '../../actions/read-sessions';
import { type RatingPorts, readReward, setReward, withdrawReward } from '../../actions/set-reward';
import { type Refusal, refusal } from '../../platform/refusal';
import type { SessionManager } from '../../sessions/session-manager';
import { isAdmin, readToken, requireAdmin } from '../auth';
import { errorResponse } from '../error-response';
import { readJson } from '../read-json';

export interface RewardRoutesPorts extends RatingPorts, ReadSessionsPorts {
  readonly interactions: RatingPorts['interactions'];
  readonly rewards: RatingPorts['rewards'];
  readonly manager: SessionManager;
  readonly adminKey: string;
  readonly bodyLimitBytes: number;
}

/** Ratings, for both kinds of key, and the admin's view of one interaction. */
export function rewardRoutes(ports: RewardRoutesPorts): Hono {
  const { adminKey } = ports;
  const routes = new Hono();

  routes.post('/rl/set_reward', async (context) => {
    const caller = authenticate(ports, context.req.raw);
    if (!caller.ok) return errorResponse(caller.error);
    const body = await readJson(context.req.raw, setRewardRequestSchema, ports.bodyLimitBytes);
    if (!body.ok) return errorResponse(explainReward(body.error));
    const { reward, interaction_id, rater_id, note } = body.value;
    const rated = setReward(ports, {
      sessionId: caller.value.sessionId,
      interactionId: interaction_id ?? null,
      value: reward,
      raterId: typeof rater_id === 'string' ? raterId(rater_id) : null,
      note: note ?? null,
    });
    if (!rated.ok) return errorResponse(rated.error);
    return context.json({
      message: 'success',
      interaction_id: rated.value.interactionId,
      outcome: rated.value.outcome,
      previous_reward: rated.value.previousReward,
    });
  });

  routes.delete('/rl/interactions/:id/reward', (context) => {
    const caller = authenticate(ports, context.req.raw);
    if (!caller.ok) return errorResponse(caller.error);
    const withdrawn = withdrawReward(ports, { ...caller.value, interactionId: context.req.param('id') });
    if (!withdrawn.ok) return errorResponse(withdrawn.error);
    const { interactionId: id, previousReward } = withdrawn.value;
    return context.json({
      message: 'success',
      interaction_id: id,
      outcome: previousReward === null ? 'none' : 'withdrawn',
      previous_reward: previousReward,
    });
  });

  routes.get('/rl/interactions/:id/reward', (context) => {
    const caller = authenticate(ports, context.req.raw);
    if (!caller.ok) return errorResponse(caller.error);
    const read = readReward(ports, { ...caller.value, interactionId: context.req.param('id') });
    return read.ok ? context.json(read.value) : errorResponse(read.error);
  });

  routes.get('/rl/interactions/:id', (context) => {
    const admin = requireAdmin(context.req.raw, adminKey);
    if (!admin.ok) return errorResponse(admin.error);
    const id = context.req.param('id');
    const interaction = readInteraction(ports, interactionId(id));
    if (interaction === null) return errorResponse(refusal('not-found', `Interaction ${id} not found.`));
    return context.json(interaction);
  });

  return routes;
}

function authenticate(
  { adminKey, manager }: RewardRoutesPorts,
  request: Request,
): Result<{ readonly sessionId: SessionId | null }, Refusal> {
  if (isAdmin(request, adminKey)) return ok({ sessionId: null });
  const session = manager.authenticate(readToken(request));
  return session.ok ? ok({ sessionId: session.value.id }) : session;
}

function explainReward(error: Refusal): Refusal {
  if (error.kind !== 'bad-body' || error.param !== 'reward') return error;
  return {
    ...error,
    message: `${error.message} reward must be a finite number from -${MAX_REWARD} to ${MAX_REWARD}, such as 1 or -0.5.`,
  };
}
