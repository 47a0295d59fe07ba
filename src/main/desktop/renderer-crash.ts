import type { BrowserWindow } from 'electron';

/** Two crashes within this time are not an accident. */
const WINDOW_MS = 60_000;

/** Reloads a crashed page once; a page that crashes again at once is told about instead of reloaded for ever. */
export class RendererCrashGuard {
  #lastCrashAt: number | null = null;

  constructor(
    private readonly now: () => number,
    private readonly onGiveUp: (window: BrowserWindow, reason: string) => void,
  ) {}

  onGone(window: BrowserWindow, reason: string): void {
    const last = this.#lastCrashAt;
    this.#lastCrashAt = this.now();
    if (last !== null && this.now() - last < WINDOW_MS) this.onGiveUp(window, reason);
    else window.webContents.reload();
  }
}

/** A page without script that says what happened and offers to try again. */
export function crashPage(language: 'en' | 'zh', reason: string, retryUrl: string): string {
  const text =
    language === 'zh'
      ? {
          title: '界面两次意外退出',
          body: `原因：${escapeHtml(reason)}。评分和训练不受影响，草稿已保存。`,
          retry: '重新打开界面',
        }
      : {
          title: 'The screen crashed twice',
          body: `Reason: ${escapeHtml(reason)}. Ratings and training go on; what you typed is saved.`,
          retry: 'Open the screen again',
        };
  return `<!doctype html><meta charset="utf-8"><title>Plaudit</title>
<body style="font:16px system-ui;max-width:36rem;margin:20vh auto;color-scheme:light dark">
<h1 style="font-size:20px">${text.title}</h1><p>${text.body}</p>
<p><a href="${escapeHtml(retryUrl)}">${text.retry}</a></p>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
