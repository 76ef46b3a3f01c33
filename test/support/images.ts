import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { insertCorrection } from '#server/modules/corrections/correction-queries.ts'
import {
  countInstance,
  insertImageStudy,
} from '#server/modules/images/image-study-writing-queries.ts'
import {
  type InstanceRecord,
  insertInstance,
  type NewInstance,
} from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type {
  ImageHeader,
  ImageStudyRecord,
  Mismatch,
  NewImageStudy,
} from '#server/modules/studies/image-study-row.ts'
import { verbatim } from '#shared/messages/message.ts'

const HEADER: ImageHeader = {
  ...{
    patientName: 'MEIER^ANNA',
    patientId: 'P-4711',
    patientBirthDate: '19800131',
    patientSex: 'F',
  },
  ...{
    patientSize: '',
    patientWeight: '',
    patientAge: '',
    accessionNumber: 'A-100',
    studyDescription: 'CT Thorax',
  },
  ...{
    requestedProcedureDescription: '',
    studyDate: '20261120',
    studyTime: '093000',
    referringPhysicianName: '',
    institutionName: '',
  },
  ...{
    studyId: '',
    modality: 'CT',
    requestedProcedureId: '',
    scheduledProcedureStepId: 'S1',
    requestStudyInstanceUid: '',
  },
  characterSetRule: '',
}

export const MISMATCH: Mismatch = {
  fields: [{ field: 'patientName', handedOut: 'MAIER^ANNA', received: 'MEIER^ANNA' }],
  amongImages: [],
  foundAt: '2026-11-20T08:50:00.000Z',
}

export interface SeededImages {
  readonly uid: string
  /** When its images came: they are all of one moment. */
  readonly at?: string
  /** How many; the first one's UID is that of the study and `.1.1`. */
  readonly instances?: number
  readonly state?: ImageStudyRecord['state']
  readonly how?: ImageStudyRecord['transfer']['how']
  readonly header?: Partial<ImageHeader>
  readonly mismatch?: Mismatch | null
  readonly deviceName?: string
}

const AT = '2026-11-20T08:45:00.000Z'
let files = 0

/** A study with images in the store, as the intake leaves it; rows only, no files. */
export function seedImages(store: Context, seeded: SeededImages): void {
  const {
    uid,
    at = AT,
    instances = 1,
    state = 'settled',
    how = 'released',
    header = {},
    mismatch = null,
    deviceName = 'CT room 1',
  } = seeded
  const study: NewImageStudy = {
    ...{
      studyInstanceUid: uid,
      createdAt: at,
      lastInstanceAt: at,
      state,
      settledAt: state === 'settled' ? at : null,
      dueAt: at,
    },
    ...{
      callingAeTitle: 'CT1',
      remoteAddress: '10.0.3.7',
      deviceName,
      transfer: { how, detail: null, at },
    },
    ...{ header: { ...HEADER, ...header }, handedOut: null, mismatch },
    enrichment: { state: 'not-asked', askedAt: null, nextAt: null, detail: null, warnings: [] },
    isFetched: false,
    enrichmentAttempts: 0,
  }
  store.database.transaction(() => {
    insertImageStudy(store.database, study)
    for (let number = 1; number <= instances; number += 1) {
      insertInstance(store.database, instance(uid, number, at))
      countInstance(store.database, uid, seriesOf(uid), 526_000, at, 'current')
    }
  })
}

/** Notes a correction of images of the study, whose rows stay as they are. */
export function correctImages(store: Context, uid: string, at: string): void {
  if (!findImageStudy(store.database, uid)) seedImages(store, { uid })
  const correction = {
    kind: 'correct',
    cause: 'patient-safety',
    instances: 1,
    userId: 'usr_1',
    undoes: null,
  } as const
  const details = {
    reason: 'Another patient',
    changes: [],
    handedOut: { from: null, to: null },
    undoReason: '',
  }
  const studies = { fromStudyInstanceUid: uid, toStudyInstanceUid: uid }
  insertCorrection(
    store.database,
    { ...correction, ...studies, correctionId: randomUUID(), at, details },
    [],
  )
}

/** Sets an instance of the seeded study aside. */
export function quarantine(
  store: Context,
  uid: string,
  more: Partial<NewInstance> = {},
): InstanceRecord {
  return store.database.transaction(() => {
    const aside = insertInstance(store.database, {
      ...instance(uid, 1, AT),
      ...{
        state: 'quarantined',
        reason: 'different-content',
        detail: verbatim('Another image of this UID is here, from CT1.'),
        ...more,
      },
    })
    countInstance(store.database, uid, seriesOf(uid), 526_000, AT, 'quarantined')
    return aside
  })
}

const seriesOf = (uid: string) => ({
  seriesInstanceUid: `${uid}.1`,
  modality: 'CT',
  seriesNumber: '2',
  seriesDescription: 'Thorax 1 mm',
})

/** A row of an image, whose file is not there. */
export function instance(uid: string, number: number, at: string): NewInstance {
  files += 1
  return {
    ...{
      sopInstanceUid: `${uid}.1.${number}`,
      sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
      studyInstanceUid: uid,
      seriesInstanceUid: `${uid}.1`,
    },
    ...{
      transferSyntaxUid: '1.2.840.10008.1.2.1',
      file: `00/00/${files}.dcm`,
      dataSetOffset: 350,
      bytes: 526_000,
      crc32: files,
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
      receivedAt: at,
      lastSeenAt: at,
      modality: 'CT',
      instanceNumber: String(number),
    },
    ...{ scheduledProcedureStepId: 'S1', image: null, patientName: 'MEIER^ANNA' },
  }
}
