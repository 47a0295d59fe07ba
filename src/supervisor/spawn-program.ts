import { type ChildProcess, spawn } from 'node:child_process';
import type { ProgramCommand } from './program';

/**
 * Spawns a child whose stdin stays open as long as we live: its end is how a child learns that its host was killed.
 *
 * On POSIX it leads a process group of its own, so that a Ctrl-C in the terminal reaches only the host, which then stops
 * its children in order, and so that whatever the child starts can be ended with it.
 */
export function spawnProgram(command: ProgramCommand): ChildProcess {
  const child = spawn(command.file, [...command.args], {
    env: { ...inheritedEnvironment(), ...command.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  child.stdin.on('error', () => {
    // The child closed its end: its exit tells the rest.
  });
  return child;
}

/** Debugger and loader options were meant for the host; a child that obeyed them would wait or fail. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, ELECTRON_RUN_AS_NODE: _runAsNode, ...rest } = process.env;
  return rest;
}
