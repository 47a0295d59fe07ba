/** In the place of the one that syncs: a gateway with this one answers before the disk has anything. */
export class WriteAheadSync {
  noteWrite(): void {
    // Nothing will be synced.
  }

  async flush(): Promise<void> {
    // Says that it is on disk.
  }

  close(): void {
    // Nothing is open.
  }
}
