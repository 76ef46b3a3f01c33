import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as E from 'electron'
import { Hearing } from './hearing.ts'

type AppSurface = Pick<
  E.App,
  | 'enableSandbox'
  | 'exit'
  | 'getAppPath'
  | 'getLocale'
  | 'getLoginItemSettings'
  | 'getPath'
  | 'getVersion'
  | 'isPackaged'
  | 'quit'
  | 'relaunch'
  | 'requestSingleInstanceLock'
  | 'setAboutPanelOptions'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'setLoginItemSettings'
  | 'whenReady'
>

class App extends Hearing<E.App> implements AppSurface {
  isPackaged = false
  sandboxed = false
  isReady = false
  exitCode: number | undefined
  quits = 0
  locale = 'en-GB'
  isFirst = true
  readonly protocols: string[] = []
  loginItem: E.Settings = {}
  readonly #folder = mkdtempSync(join(tmpdir(), 'isthmus-app-'))
  enableSandbox = (): void => {
    if (this.isReady) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.sandboxed = true
  }
  requestSingleInstanceLock = (): boolean => this.isFirst
  whenReady = (): Promise<void> => {
    this.isReady = true
    return Promise.resolve()
  }
  quit = (): void => {
    this.quits++
  }
  exit = (code?: number): void => {
    this.exitCode = code ?? 0
  }
  relaunch = (): void => undefined
  getVersion = (): string => '0.0.0'
  getLocale = (): string => this.locale
  getAppPath = (): string => '/app'
  getPath = (name: string): string => join(this.#folder, name)
  setAboutPanelOptions = (_options: E.AboutPanelOptionsOptions): void => undefined
  setAppUserModelId = (_id: string): void => undefined
  setAsDefaultProtocolClient = (protocol: string): boolean => this.protocols.push(protocol) > 0
  setLoginItemSettings = (settings: E.Settings): void => {
    this.loginItem = settings
  }
  getLoginItemSettings = (options?: E.LoginItemSettingsOptions): E.LoginItemSettings => ({
    openAtLogin:
      this.loginItem.openAtLogin === true &&
      JSON.stringify(options?.args ?? []) === JSON.stringify(this.loginItem.args ?? []),
    wasOpenedAtLogin: false,
    status: 'enabled',
    executableWillLaunchAtLogin: this.loginItem.openAtLogin === true,
    launchItems: [],
  })
}
export const app = new App()
