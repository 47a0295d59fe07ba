// @vitest-environment jsdom
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openScreen } from '../components/navigation/navigation-store';
import { showSource } from '../components/navigation/source-store';
import { prepareDom, renderScreen } from '../testing/dom';
import { FakeDesktop } from '../testing/fake-desktop';
import { badRowOf, FakeDumps, giveChartsRoom, rowOf } from '../testing/fake-dumps';
import { interactionOf, sessionOf, statusOf } from '../testing/fake-wire';
import { Shell } from './shell';

beforeEach(() => {
  prepareDom();
  giveChartsRoom();
  showSource(null);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

class ChineseDesktop extends FakeDesktop {
  override settings = { ...new FakeDesktop().settings, language: 'zh' as const };
  override invoke(channel: string, request?: unknown): Promise<unknown> {
    if (channel !== 'trajectories-open') return super.invoke(channel, request);
    return Promise.resolve({ ok: false, message: '/home/you/notes.jsonl is empty.' });
  }
}

it('says on the Training screen in Chinese why a process ended, what the engine waits for and why a batch waits', async () => {
  const gateway = new FakeDumps();
  const reason =
    'batch 3 made the trainer fail 3 times and was set aside; nothing of it was trained (exit code 1: spool.bin: EIO)';
  gateway.status = statusOf({
    engine: { state: 'waiting', detail: 'waiting for an inference engine', name: null, running: 0 },
    trainer: { state: 'training', batch_id: 4, phase: 'optimizer', fraction: 0.5 },
    set_aside: [{ batch_id: 3, ratings: 16, reason, at: '2026-11-29T10:00:00Z' }],
    trouble: [
      {
        kind: 'training-disk',
        message: 'The run folder cannot be used: ENOSPC: no space left on device.',
        advice: 'Free some space or restore access; ratings are safe and training goes on by itself.',
      },
    ],
  });
  const desktop = new ChineseDesktop();
  desktop.processes = desktop.processes.map((process) => ({
    ...process,
    state: 'failed',
    detail: `The ${process.name} was ended by SIGKILL. Given up after 5 restarts.`,
  }));
  openScreen('runs');
  const { user } = renderScreen(<Shell />, { gateway, desktop });
  expect((await screen.findByTestId('set-aside')).textContent).toContain(
    '批次 3 使训练器失败了 3 次，已被搁置；其中没有内容被训练（退出码 1: spool.bin: EIO）',
  );
  expect(screen.getByText('正在等待推理引擎')).toBeTruthy();
  expect(screen.getAllByText('训练器被 SIGKILL 结束。重启 5 次后放弃。', { exact: false }).length).toBeGreaterThan(0);
  await user.hover(screen.getByTestId('status-trainer'));
  expect(await screen.findByText('批次 4 · 优化器更新')).toBeTruthy();
  await user.click(await screen.findByTestId('trouble-more'));
  const lines = Object.fromEntries(
    screen.getAllByTestId('trouble').map(({ dataset, textContent }) => [dataset.kind, textContent]),
  );
  expect(lines['engine-failed']).toContain('推理引擎被 SIGKILL 结束。重启 5 次后放弃。');
  expect(lines['training-disk']).toContain(
    '运行文件夹无法使用：ENOSPC: no space left on device。 请腾出空间或恢复访问权限；评分是安全的，训练会自动继续。',
  );
});

it('says on Trajectories in Chinese what is wrong with a line, and why a dump was not opened', async () => {
  const gateway = new FakeDumps();
  const bad = { ...badRowOf(0), error: `Not JSON: Unexpected token 'h', "hello" is not valid JSON` };
  gateway.addDump('live', 'live', [bad, rowOf(1, { finish_reason: 'stop', source: 'human' })]);
  openScreen('trajectories');
  const { user } = renderScreen(<Shell />, { gateway, desktop: new ChineseDesktop() });
  await waitFor(() =>
    expect(screen.getAllByTestId('trajectory-row')[0]?.textContent).toContain(`不是 JSON："hello" 中有意外的字符 'h'`),
  );
  await user.click(screen.getByTestId('open-file'));
  expect(await screen.findByText('无法打开：/home/you/notes.jsonl 是空的。')).toBeTruthy();
  await user.click(screen.getAllByTestId('trajectory-row')[1]!);
  expect(await screen.findByText('人工')).toBeTruthy();
  expect(screen.getAllByText('正常结束').length).toBeGreaterThan(0);
  expect(screen.getByTestId('status-served').textContent).toBe('在线版本 v0 · 内置引擎');
});

it('says on Rate in Chinese why a rating was dropped and why an answer is not trained on', async () => {
  const gateway = new FakeDumps();
  gateway.sessions.push({ ...sessionOf('s-1', 'chat-1', undefined, 0), state: 'ended' });
  gateway.interactions.push({
    ...interactionOf('i-1', 's-1', [{ role: 'user', content: 'Hello!' }], 0),
    state: 'finished',
    output: 'Hi.',
    finish_reason: 'stop',
    reward: 0.5,
    rating_state: 'dropped',
    reason: 'its evidence is not sound: Nothing was sampled.',
  });
  openScreen('rate');
  const { user } = renderScreen(<Shell />, { gateway, desktop: new ChineseDesktop() });
  const dropped = await screen.findByTestId('receipts-dropped');
  expect(dropped.textContent).toBe('1 个已丢弃（采样记录不可靠：没有采样到任何 token。）');
  await user.click(screen.getByTestId('receipts'));
  expect((await screen.findByTestId('receipt-row')).textContent).toContain('已丢弃：采样记录不可靠');
});
