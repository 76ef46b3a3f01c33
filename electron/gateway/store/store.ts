import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type AnswersStore, answersStore } from './answers.ts'
import { type ApiKeysStore, apiKeysStore } from './api-keys.ts'
import { type AuditStore, auditStore } from './audit.ts'
import { type CallersStore, callersStore } from './callers.ts'
import type { Clock } from './clock.ts'
import { type ClosedStepsStore, closedStepsStore } from './closed-steps.ts'
import { Database } from './database.ts'
import { type DevicesStore, devicesStore } from './devices.ts'
import { type DocumentsStore, documentsStore } from './documents.ts'
import { type DowntimeStore, downtimeStore } from './downtime.ts'
import { type EndpointsStore, endpointsStore } from './endpoints.ts'
import { makeFolder } from './folder.ts'
import { type InspectionsStore, inspectionsStore } from './inspections.ts'
import { openSeal, type Seal } from './seal.ts'
import { type SessionsStore, sessionsStore } from './sessions.ts'
import { type SettingsStore, settingsStore } from './settings.ts'
import { type SignInAttemptsStore, signInAttemptsStore } from './sign-in-attempts.ts'
import { type SignInLinksStore, signInLinksStore } from './sign-in-links.ts'
import { type UsersStore, usersStore } from './users.ts'

export { makeFolder } from './folder.ts'

export const DATABASE_FILE = 'gateway.sqlite'

/** Everything the gateway keeps, in one folder. */
export interface Store extends Disposable {
  readonly folder: string
  readonly database: Database
  readonly seal: Seal
  readonly settings: SettingsStore
  readonly audit: AuditStore
  readonly devices: DevicesStore
  readonly callers: CallersStore
  readonly users: UsersStore
  readonly sessions: SessionsStore
  readonly signInLinks: SignInLinksStore
  readonly signInAttempts: SignInAttemptsStore
  readonly apiKeys: ApiKeysStore
  readonly endpoints: EndpointsStore
  readonly documents: DocumentsStore
  readonly answers: AnswersStore
  readonly inspections: InspectionsStore
  readonly closedSteps: ClosedStepsStore
  readonly downtime: DowntimeStore
}

export interface StoreConfig {
  /** The data folder; made when it is not there. Whoever opens it holds its lock (`takeLock`). */
  readonly folder: string
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
}

/** Opens the data folder: key, database, and `clinic.id` at the first start. @throws StoreError one sentence for a person */
export function openStore({ folder, clock, uuid }: StoreConfig): Store {
  makeFolder(folder)
  const file = join(folder, DATABASE_FILE)
  // The key is made before the database: a crash between the two leaves nothing that it cannot open.
  const isNew = !existsSync(file) || statSync(file).size === 0
  const seal = openSeal(folder, { mayCreate: isNew })
  const database = Database.open(file)
  try {
    const settings = settingsStore(database, clock)
    if (settings.get('clinic.id') === null && !settings.unreadable().includes('clinic.id')) settings.set('clinic.id', uuid())
    return {
      folder,
      database,
      seal,
      settings,
      audit: auditStore(database, seal, clock),
      devices: devicesStore(database),
      callers: callersStore(database),
      users: usersStore(database),
      sessions: sessionsStore(database),
      signInLinks: signInLinksStore(database),
      signInAttempts: signInAttemptsStore(database),
      apiKeys: apiKeysStore(database),
      endpoints: endpointsStore(database, seal),
      documents: documentsStore(database, seal, clock),
      answers: answersStore(database),
      inspections: inspectionsStore(database, seal),
      closedSteps: closedStepsStore(database, seal),
      downtime: downtimeStore(database, seal),
      [Symbol.dispose]: () => database[Symbol.dispose](),
    }
  } catch (error) {
    database[Symbol.dispose]()
    throw error
  }
}
