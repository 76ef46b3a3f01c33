import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '#gateway/store/store.ts'

/** A clock that stands until it is moved. */
export interface StandingClock {
  (): number
  now: number
  /** Moves it by so many ms. */
  pass(ms: number): void
}

export function standingClock(instant = '2026-03-10T09:00:00.000Z'): StandingClock {
  const clock = Object.assign(() => clock.now, {
    now: Date.parse(instant),
    pass(ms: number) {
      clock.now += ms
    },
  })
  return clock
}

/** A folder of its own, gone when disposed of. */
export function tempFolder(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-test-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A real store in a folder of its own, on a standing clock. */
export function tempStore(
  instant?: string,
): { readonly store: Store; readonly folder: string; readonly clock: StandingClock; readonly uuid: () => string } & Disposable {
  const temp = tempFolder()
  const clock = standingClock(instant)
  const store = openStore({ folder: temp.folder, clock, uuid: randomUUID })
  return {
    store,
    folder: temp.folder,
    clock,
    uuid: randomUUID,
    [Symbol.dispose]() {
      store[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}
