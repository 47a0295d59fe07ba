import { type GatewayConfigInput, gatewayConfigSchema } from '../gateway/config';
import { UsageError } from './command';

/** Settings of the gateway itself, which the window has no field for; ranges are those of its own schema. */
const FLAGS = {
  admission: 'admission',
  'max-head-offpolicyness': 'maxHeadOffpolicyness',
  'max-open-sessions': 'maxOpenSessions',
  'session-timeout-ms': 'sessionTimeoutMs',
  'turn-discount': 'turnDiscount',
  'discount-mode': 'discountMode',
  'start-session-shape': 'startSessionShape',
  'answer-format': 'answerFormat',
  'requests-per-second': 'requestsPerSecond',
  'max-connections': 'maxConnections',
} as const satisfies Record<string, keyof GatewayConfigInput>;
const UNRATED = { 'unrated-human': 'human', 'unrated-agent': 'agent' } as const;

export const GATEWAY_FLAGS: readonly string[] = [...Object.keys(FLAGS), ...Object.keys(UNRATED), 'allowed-hosts'];

export const GATEWAY_HELP = `
  --admission MODE           gate (agents wait while a trainer is behind), soft (never), grants (a trainer outside decides)
  --max-head-offpolicyness N batches of answers an agent may be ahead of the trainer (default 2)
  --max-open-sessions N      agent sessions at once (default 65536)
  --session-timeout-ms N     an agent's session without a call for so long is ended and kept (default 3600000)
  --turn-discount X          what an earlier turn gets of a later reward, 0 to 1 (default 1)
  --discount-mode MODE       linear (AReaL's) or tree (default linear)
  --unrated-human POLICY     hold, drop or zero: what becomes of answers nobody rated (default hold)
  --unrated-agent POLICY     the same for agents (default hold)
  --start-session-shape V    v1 or v2 of AReaL's answer (default v1)
  --answer-format NAME       auto, plain, qwen, qwen-coder, hermes, llama or deepseek (default auto: from the chat template)
  --requests-per-second N    of one session key; 0 = no limit (default 0)
  --max-connections N        (default 4096)
  --allowed-hosts A,B        host names, besides its address, under which the gateway is reached
`;

/** @throws UsageError naming the flag */
export function readGatewayFlags(text: (flag: string) => string | undefined): Partial<GatewayConfigInput> {
  const chosen: Record<string, unknown> = {};
  for (const [flag, field] of Object.entries(FLAGS)) {
    const value = text(flag);
    if (value !== undefined) chosen[field] = parse(flag, gatewayConfigSchema.shape[field], value);
  }
  const unrated: Record<string, unknown> = {};
  for (const [flag, source] of Object.entries(UNRATED)) {
    const value = text(flag);
    if (value !== undefined)
      unrated[source] = parse(flag, gatewayConfigSchema.shape.unratedPolicy.unwrap().shape[source], value);
  }
  if (Object.keys(unrated).length > 0) chosen.unratedPolicy = unrated;
  const hosts = text('allowed-hosts');
  if (hosts !== undefined) chosen.allowedHosts = hosts.split(',').map((host) => host.trim());
  return chosen; // each value came out of its own field's schema
}

interface Field {
  parse(value: undefined): unknown;
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: { message: string }[] } };
}

function parse(flag: string, field: Field, value: string): unknown {
  const isNumber = typeof field.parse(undefined) === 'number';
  const parsed = field.safeParse(isNumber ? (value.trim() === '' ? Number.NaN : Number(value)) : value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--${flag}: ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
}
