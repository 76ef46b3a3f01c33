import { EventEmitter } from 'node:events'
import type * as E from 'electron'

/** The name of an event of Electron's object, or never. */
type EventOf<Target, N extends string> = Target extends {
  // biome-ignore lint/suspicious/noExplicitAny: each event has arguments of its own
  on(event: N, listener: (...args: any[]) => void): unknown
}
  ? N
  : never

/** Hears what its model hears. */
export class Hearing<Target> extends EventEmitter {
  /** Emits an event that Electron's object has; a test that names another one does not compile. */
  fire<const N extends string>(
    event: N & EventOf<Target, N>,
    ...args: readonly unknown[]
  ): boolean {
    return this.emit(event, ...args)
  }
}

/** Electron's event, which says whether it was prevented. */
export function event<T extends object>(more?: T): E.Event & T {
  const fresh = {
    defaultPrevented: false,
    preventDefault() {
      fresh.defaultPrevented = true
    },
    ...more,
  }
  return fresh as E.Event & T
}
