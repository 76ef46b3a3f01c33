/**
 * Instances whose files are being read or are about to be, by instance id. Their files are not
 * removed from this PC meanwhile. An erasure does not wait for them.
 */
export class FilesInUse {
  readonly #users = new Map<number, number>()

  get size(): number {
    return this.#users.size
  }

  has(instanceId: number): boolean {
    return this.#users.has(instanceId)
  }

  /** Keeps the files of instances until the result is disposed of. */
  keep(instanceIds: readonly number[]): Disposable {
    for (const id of instanceIds) this.#users.set(id, (this.#users.get(id) ?? 0) + 1)
    return {
      [Symbol.dispose]: () => {
        for (const id of instanceIds) {
          const left = (this.#users.get(id) ?? 1) - 1
          if (left > 0) this.#users.set(id, left)
          else this.#users.delete(id)
        }
      },
    }
  }
}
