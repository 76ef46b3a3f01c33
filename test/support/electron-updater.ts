// The part of electron-updater that electron/desktop/updates.ts uses, for tests in plain Node: it
// records what it was asked to do, and a test emits its events.
import { EventEmitter } from 'node:events'

export class FakeUpdater extends EventEmitter {
  autoDownload = true
  // Its own default, which no program of ours may keep.
  autoInstallOnAppQuit = true
  autoRunAppAfterInstall = true
  allowDowngrade = true
  allowPrerelease = true
  disableWebInstaller = false
  logger: unknown = console
  readonly feeds: unknown[] = []
  readonly installs: (readonly unknown[])[] = []
  checks = 0
  /** What the next check finds. */
  answer: () => Promise<{ downloadPromise?: Promise<unknown> } | null> = () => Promise.resolve(null)
  setFeedURL(feed: unknown): void {
    this.feeds.push(feed)
  }
  checkForUpdates(): Promise<unknown> {
    this.checks++
    this.emit('checking-for-update')
    return this.answer()
  }
  quitAndInstall(...args: unknown[]): void {
    this.installs.push(args)
  }
}

let updater = new FakeUpdater()
/** A new one for the next test. */
export function freshUpdater(): FakeUpdater {
  updater = new FakeUpdater()
  return updater
}

// A getter, as the real one: it is made when it is first asked for.
export default {
  get autoUpdater(): FakeUpdater {
    return updater
  },
}
