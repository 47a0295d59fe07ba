import { type ProcessView, type Settings, settingsSchema } from '../../shared/ipc/contract';
import type { StudioBridge } from '../data/studio-bridge';

/** The preload's bridge with the desktop's answers in memory. */
export class FakeDesktop implements StudioBridge {
  settings: Settings = settingsSchema.parse({ language: 'en', theme: 'light' });
  processes: ProcessView[] = (['engine', 'trainer'] as const).map((name) => ({
    name,
    state: 'ready',
    detail: null,
    pid: 1,
    restarts: 0,
    since: 0,
  }));
  /** null while the gateway is not up */
  url: string | null = 'http://127.0.0.1:4100';
  readonly drafts: Record<string, string> = {};
  readonly calls: { readonly channel: string; readonly request: unknown }[] = [];
  readonly #listeners = new Map<string, Set<(payload: unknown) => void>>();

  invoke(channel: string, request?: unknown): Promise<unknown> {
    this.calls.push({ channel, request });
    return Promise.resolve(this.#answer(channel, request));
  }

  subscribe(event: string, listener: (payload: unknown) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  emit(event: string, payload: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(payload);
  }

  #answer(channel: string, request: unknown): unknown {
    switch (channel) {
      case 'gateway-address':
        return {
          url: this.url,
          token: 'admin-token',
          tokenPath: this.url === null ? null : '/data/admin-key',
          trouble: [],
        };
      case 'processes-list':
        return this.processes;
      case 'settings-read':
        return this.settings;
      case 'settings-write':
        this.settings = settingsSchema.parse({ ...this.settings, ...(request as Partial<Settings>) });
        return { settings: this.settings, restartNeeded: false };
      case 'app-info':
        return { version: '0', electron: '25', chrome: '114', node: '18', dataDir: '/data', systemLanguage: 'en' };
      case 'drafts-read':
        return { ...this.drafts };
      case 'drafts-write': {
        const { key, text } = request as { key: string; text: string };
        this.drafts[key] = text;
        return undefined;
      }
      case 'process-log':
        return { lines: [] };
      case 'trajectories-open':
        return null;
      default:
        return undefined;
    }
  }
}
