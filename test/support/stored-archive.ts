import { readFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { readInstances, SELECT_INSTANCES } from '#server/modules/images/instance-queries.ts'
import { removeLocalFiles } from '#server/modules/images/local-files.ts'
import { dashboardErasures } from '#shared/contract/erasure.ts'
import { openWebArchive, type WebArchive } from '../flows/dicomweb-fixture.ts'
import type { InstanceFile } from './instance-file.ts'
import { startObjectStore, type TestStore } from './object-store.ts'
import { tempFolder } from './temp-store.ts'

/** A gateway with images, which can be stopped and started again with the same folder. */
export interface StoredArchive {
  readonly folder: string
  /** As it runs now. */
  readonly archive: WebArchive
  stop(): Promise<void>
  restart(whileStopped?: () => Promise<void>): Promise<void>
  /** Starts the gateway again after the files of all images were removed from the PC. */
  withoutFiles(): Promise<void>
}

/** As `startObjectStore`; it ends with the test. */
export async function openObjectStore(): Promise<TestStore> {
  const store = await startObjectStore()
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

export async function openStoredArchive(files: readonly InstanceFile[]): Promise<StoredArchive> {
  const temporary = tempFolder()
  const { folder } = temporary
  let archive: WebArchive | undefined = await openWebArchive({ folder })
  onTestFinished(async () => {
    await archive?.[Symbol.asyncDispose]()
    temporary[Symbol.dispose]()
  })
  if (files.length > 0) {
    const { status } = await archive.store(files.map(({ path }) => readFileSync(path)))
    expect(status).toBe(200)
  }
  const { key } = archive
  const stored: StoredArchive = {
    folder,
    get archive() {
      return archive as WebArchive
    },
    async stop() {
      await archive?.[Symbol.asyncDispose]()
      archive = undefined
    },
    async restart(whileStopped) {
      await stored.stop()
      await whileStopped?.()
      archive = await openWebArchive({ folder, key })
    },
    withoutFiles: () => stored.restart(() => removeAll(folder)),
  }
  return stored
}

export async function eraseStudy(
  { archive }: StoredArchive,
  studyInstanceUid: string,
): Promise<void> {
  const { call } = archive.gateway
  const { confirmWith } = await call(dashboardErasures.preview, {
    body: { studyInstanceUid, scope: 'study' },
  })
  await call(dashboardErasures.erase, {
    body: {
      ...{ studyInstanceUids: [studyInstanceUid], scope: 'study', reason: 'Requested' },
      confirmation: confirmWith,
    },
  })
}

async function removeAll(folder: string): Promise<void> {
  using _lock = acquireLock(folder)
  using context = openContext({ folder })
  const instances = readInstances(context.database, SELECT_INSTANCES)
  await removeLocalFiles(context, instances, (all) => all)
}
