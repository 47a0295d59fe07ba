import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How each file system is made, and what a machine does with it before it mounts it after a power cut. */
const FILE_SYSTEMS = {
  ext4: { make: ['mkfs.ext4', '-q', '-F'], repair: null },
  /** no journal: what was not asked to be on disk is not there, however much else was synced */
  ext2: { make: ['mkfs.ext2', '-q', '-F'], repair: ['e2fsck', '-f', '-y'] },
  xfs: { make: ['mkfs.xfs', '-q', '-f'], repair: null },
  btrfs: { make: ['mkfs.btrfs', '-q', '-f'], repair: null },
} as const;

/** A file system that a disk image can hold. */
export type FileSystem = keyof typeof FILE_SYSTEMS;

/** XFS refuses to be smaller. */
const SIZE_BYTES = { ext4: 128 << 20, ext2: 128 << 20, xfs: 320 << 20, btrfs: 256 << 20 } as const;

/** @returns why disk images cannot be used here, in a sentence; null when they can */
export function diskImagesImpossible(fileSystem: FileSystem): string | null {
  if (process.platform !== 'linux') return 'loop devices are a thing of Linux';
  if (process.getuid?.() !== 0) return 'only root may mount a disk image';
  if (!existsSync('/dev/loop-control')) return 'this machine has no loop devices';
  const tools = [FILE_SYSTEMS[fileSystem].make[0], FILE_SYSTEMS[fileSystem].repair?.[0], 'losetup', 'mount'];
  for (const tool of tools) {
    if (tool === undefined) continue;
    try {
      execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
    } catch {
      return `${tool} is not installed`;
    }
  }
  return null;
}

/**
 * A disk in a file, mounted by a loop device.
 *
 * What programs wrote and did not sync is in the memory of the inner file system and not in the image, so a copy of the
 * image is what a machine finds after its power was cut. The device has no cache of its own that could lose or reorder
 * what the file system gave it: a fault that only a lying or a reordering disk shows is not found this way.
 */
export class DiskImage {
  #device: string | null = null;

  constructor(
    private path: string,
    readonly mountPoint: string,
    private readonly fileSystem: FileSystem,
  ) {}

  /** An empty disk. */
  async make(): Promise<void> {
    // Written whole, not a hole: a copy must not have to ask which parts the kernel holds in memory only.
    const file = await open(this.path, 'w');
    const zeros = Buffer.alloc(1 << 20);
    for (let at = 0; at < SIZE_BYTES[this.fileSystem]; at += zeros.length) await file.write(zeros);
    await file.close();
    const [tool, ...options] = FILE_SYSTEMS[this.fileSystem].make;
    await run(tool, [...options, this.path]);
  }

  /** As a machine that starts: repairs what its file system needs repaired, replays the journal. */
  async mount(): Promise<void> {
    await this.unmount();
    const { repair } = FILE_SYSTEMS[this.fileSystem];
    // It ends with a code above 0 when it repaired something.
    if (repair !== null) await run(repair[0], [...repair.slice(1), this.path]).catch(() => undefined);
    mkdirSync(this.mountPoint, { recursive: true });
    const { stdout } = await run('losetup', ['--find', '--show', this.path]);
    this.#device = stdout.trim();
    await run('mount', ['-t', this.fileSystem, this.#device, this.mountPoint]);
  }

  async remount(mode: 'ro' | 'rw'): Promise<void> {
    await run('mount', ['-o', `remount,${mode}`, this.mountPoint]);
  }

  /** Safe to call at any time. */
  async unmount(): Promise<void> {
    if (this.#device === null) return;
    await run('umount', [this.mountPoint]).catch(() => undefined);
    await run('losetup', ['--detach', this.#device]);
    this.#device = null;
  }

  /**
   * Copies the disk as it is at one moment, while it is mounted. Whoever writes to it must be stopped; what the kernel
   * itself writes meanwhile makes the copy be made again.
   */
  async copyTo(path: string): Promise<void> {
    for (;;) {
      const before = this.#written();
      await run('cp', ['--reflink=never', '--sparse=never', this.path, path]);
      const after = this.#written();
      if (before === after && before.endsWith(' 0')) return;
    }
  }

  /** From now on this disk is the copy; the old one is gone. */
  async replaceBy(path: string): Promise<void> {
    await this.unmount();
    await rm(this.path, { force: true });
    this.path = path;
  }

  async remove(): Promise<void> {
    await this.unmount();
    rmSync(this.path, { force: true });
  }

  /** Writes done and calls under way (https://docs.kernel.org/block/stat.html). */
  #written(): string {
    const name = (this.#device ?? '').replace('/dev/', '');
    const fields = readFileSync(join('/sys/block', name, 'stat'), 'utf8')
      .trim()
      .split(/\s+/);
    return `${fields[4]} ${fields[6]} ${fields[8]}`;
  }
}
