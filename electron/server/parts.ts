import { randomUUID } from 'node:crypto'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import { type Context, openContext } from './context.ts'
import { type ApiKeys, openApiKeys } from './modules/api-keys/api-keys.ts'
import type { DomainDeps } from './modules/audit/audit.ts'
import { type Devices, openDevices } from './modules/devices/devices.ts'
import { type ImageStudies, openImageStudies } from './modules/images/image-studies.ts'
import { openRefusedHosts, type RefusedHosts } from './modules/partners/refused-hosts.ts'
import { type ClosedSteps, openClosedSteps } from './modules/procedure-steps/closed-steps.ts'
import {
  openPerformedSteps,
  type PerformedSteps,
} from './modules/procedure-steps/performed-steps.ts'
import { openSettings, type Settings } from './modules/settings/settings.ts'
import { openPeople, type People } from './modules/users/people.ts'
import { type Downtime, openDowntime } from './modules/worklist/downtime.ts'
import type { Clock } from './platform/clock.ts'

/** Settings given for one run, such as by `serve --http`: they stand before what is kept. */
export type SettingOverrides = { readonly [K in SettingKey]?: SettingValue<K> }

/** Context and domain of one data folder, as the gateway and the data commands use them. */
export interface Parts extends Disposable {
  readonly deps: DomainDeps
  readonly store: Context
  /** As they are in force: kept values under this run's overrides. */
  readonly settings: Settings
  readonly people: People
  readonly devices: Devices
  readonly apiKeys: ApiKeys
  readonly refusedHosts: RefusedHosts
  readonly downtime: Downtime
  readonly closedSteps: ClosedSteps
  readonly performedSteps: PerformedSteps
  readonly imageStudies: ImageStudies
}

export interface PartsOptions {
  readonly overrides?: SettingOverrides
  readonly clock?: Clock
  /** The data key, where something else than the folder's `data.key` keeps it. */
  readonly dataKey?: Buffer | undefined
}

/** Opens the folder. The caller holds its lock. @throws StoreError */
export function openParts(folder: string, options: PartsOptions = {}): Parts {
  const clock = options.clock ?? Date.now
  const store = openContext({ folder, clock, uuid: randomUUID, dataKey: options.dataKey })
  const deps = { store, clock, uuid: randomUUID }
  const settings = inForce(openSettings(deps), options.overrides ?? {})
  return {
    deps,
    store,
    settings,
    people: openPeople(store),
    devices: openDevices(deps),
    apiKeys: openApiKeys(store),
    refusedHosts: openRefusedHosts(clock),
    downtime: openDowntime(deps),
    closedSteps: openClosedSteps(deps),
    performedSteps: openPerformedSteps(deps),
    imageStudies: openImageStudies(deps),
    [Symbol.dispose]: () => store[Symbol.dispose](),
  }
}

function inForce(settings: Settings, overrides: SettingOverrides): Settings {
  return {
    ...settings,
    get: (key) =>
      Object.hasOwn(overrides, key)
        ? (overrides[key] as SettingValue<typeof key>)
        : settings.get(key),
    all: () => ({ ...settings.all(), ...overrides }),
  }
}
