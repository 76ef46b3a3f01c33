import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '#server/context.ts'
import { fileFor } from '#server/database/image-files.ts'
import { countInstance } from '#server/modules/images/image-study-writing-queries.ts'
import { insertInstance, type NewInstance } from '#server/modules/images/instance-queries.ts'
import { type SeededImages, seedImages } from '../../../../support/images.ts'
import { uidOf } from './viewing-fixture.ts'

export interface Archived {
  readonly sopInstanceUid: string
  readonly file: Buffer
  readonly more?: Partial<NewInstance>
}

/** A study in the archive as the intake leaves it, with its files; their paths. */
export function archive(
  store: Context,
  uid: string,
  instances: readonly Archived[],
  more: Partial<SeededImages> = {},
): string[] {
  seedImages(store, { uid, instances: 0, ...more })
  return addTo(store, uid, instances)
}

/** More of it. */
export function addTo(store: Context, uid: string, instances: readonly Archived[]): string[] {
  return store.database.transaction(() =>
    instances.map(({ sopInstanceUid, file: bytes, more: row = {} }, index) => {
      const file = fileFor(uid, randomUUID())
      const path = store.imageFiles.pathOf(file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes)
      insertInstance(store.database, {
        ...{
          sopInstanceUid,
          sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
          studyInstanceUid: uid,
          seriesInstanceUid: `${uid}.1`,
        },
        ...{
          transferSyntaxUid: '1.2.840.10008.1.2.1',
          file,
          dataSetOffset: 350,
          bytes: bytes.length,
          crc32: index,
        },
        ...{
          state: 'current',
          reason: null,
          detail: null,
          callingAeTitle: 'CT1',
          remoteAddress: '10.0.3.7',
          associationId: 'a1',
        },
        ...{
          deviceName: 'CT room 1',
          receivedAt: '2026-03-10T08:00:00.000Z',
          lastSeenAt: '2026-03-10T08:00:00.000Z',
          modality: 'CT',
        },
        ...{
          instanceNumber: String(index + 1),
          scheduledProcedureStepId: '',
          image: null,
          patientName: '',
        },
        ...row,
      })
      const series = {
        seriesInstanceUid: `${uid}.1`,
        modality: 'CT',
        seriesNumber: '1',
        seriesDescription: '',
      }
      countInstance(
        store.database,
        uid,
        series,
        bytes.length,
        '2026-03-10T08:00:00.000Z',
        row.state === 'quarantined' ? 'quarantined' : 'current',
      )
      return path
    }),
  )
}

export const archived = (
  number: number,
  file: Buffer,
  more: Partial<NewInstance> = {},
): Archived => ({
  ...{ sopInstanceUid: uidOf(number), file, more },
})
