import { randomUUID } from 'node:crypto'
import { fileFor } from '#server/database/image-files.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { AssociationPolicy, CStoreRequest, CStoreScp } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { storage, verification } from '#server/dicom/scp/service-classes.ts'
import { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { DimseServer } from '#server/dicom/upper-layer/server.ts'
import { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { enqueueInstance } from '#server/modules/forwarding/queue.ts'
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
import { NewDestination } from '#shared/contract/destinations.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { CT_IMAGE_STORAGE, imageDataSet } from '../../../../support/instance-file.ts'
import { reportedErrors, tempStore } from '../../../../support/temp-store.ts'

export const ACTOR = 'user:usr_1'
export const STUDY = '2.25.100'

/** The native module as it is where it could not be installed. */
export const NO_MODULE: Transcoder = {
  available: () => ({
    isAvailable: false,
    detail: verbatim('dicom-dimse-native is not installed: run npm run native'),
  }),
  transcode: () => Promise.reject(new Error('not used here')),
}

export interface Archive extends AsyncDisposable {
  readonly port: number
  /** SOP Instance UIDs in the order they came. */
  readonly received: string[]
  readonly requests: CStoreRequest[]
  /** Associations it saw. */
  readonly associations: number
}

/** A destination that keeps what it is sent. */
export async function openArchive(
  options: {
    readonly port?: number
    readonly answer?: (request: CStoreRequest) => DimseResult | Promise<DimseResult>
    readonly policy?: AssociationPolicy
    readonly transferSyntaxes?: readonly string[]
  } = {},
): Promise<Archive> {
  const {
    port = 0,
    transferSyntaxes = STORAGE_TRANSFER_SYNTAXES,
    policy = { decide: () => ({ accept: true }) },
  } = options
  const received: string[] = []
  const requests: CStoreRequest[] = []
  let associations = 0
  const scp: CStoreScp = {
    async store(request) {
      requests.push(request)
      for await (const _ of request.dataSet);
      const result = (await options.answer?.(request)) ?? { status: 0x0000 }
      if (result.status === 0x0000) received.push(request.sopInstanceUid)
      return result
    },
  }
  const server = new DimseServer(
    [verification(), { ...storage(scp, () => true), transferSyntaxes }],
    policy,
    {
      opened: () => {
        associations++
      },
      rejected: () => {},
      answered: () => {},
      closed: () => {},
    },
    DEFAULT_LIMITS,
    () => {},
  )
  const taken = await server.listen('127.0.0.1', port)
  return {
    port: taken,
    received,
    requests,
    get associations() {
      return associations
    },
    [Symbol.asyncDispose]: () => server.drain(0),
  }
}

/** Forwarding over a real store and real associations, on a standing clock. */
export function forwardingStage(
  over: Partial<Pick<OutboundRequests, 'findStudies' | 'sendInstances'>> & {
    readonly transcoder?: Transcoder
    readonly onSent?: (destinationId: string) => void
    readonly settings?: Partial<SettingValues>
  } = {},
) {
  const temp = tempStore()
  const { store, clock } = temp
  const news: string[] = []
  const errors = reportedErrors(store)
  for (const [key, value] of Object.entries(over.settings ?? {}))
    store.settings.set(key as SettingKey, value as never)
  store.feed.subscribe((change) => {
    if (change.kind !== 'line') return
    const { tone, text, studyInstanceUid } = change.line
    news.push(`${tone}: ${englishText(text)}${studyInstanceUid ? ` [${studyInstanceUid}]` : ''}`)
  })
  const { findStudies, sendInstances } = over
  const outbound = new OutboundRequests(
    () => 'ISTHMUS',
    () => ({ key: '', cert: '' }),
  )
  Object.assign(outbound, findStudies && { findStudies }, sendInstances && { sendInstances })
  const open = () =>
    new Forwarding(store, outbound, over.transcoder ?? NO_MODULE, over.onSent ?? (() => {}))
  let forwarding = open()
  return {
    ...{ temp, store, clock, news, errors },
    get forwarding() {
      return forwarding
    },
    /** The gateway ends and starts again. */
    async restart() {
      await forwarding[Symbol.asyncDispose]()
      forwarding = open()
    },
    /** Keeps an instance as the intake does, and queues it. */
    async keep(
      sopInstanceUid: string,
      more: Partial<NewInstance> = {},
      dataSet?: Buffer,
    ): Promise<InstanceRecord> {
      const at = new Date(clock()).toISOString()
      const { instance, file } = await written(
        store,
        { sopInstanceUid, receivedAt: at, ...more },
        dataSet,
      )
      await file.place(instance.file)
      return store.database.commitSoon(() => {
        const kept = keepRow(store, instance)
        if (kept.state === 'current') enqueueInstance(store, kept)
        return kept
      })
    },
    add: (port: number, more: Partial<NewDestination> = {}) =>
      forwarding.add(
        NewDestination.parse({
          name: 'PACS',
          aeTitle: 'PACS',
          host: '127.0.0.1',
          port,
          isAutomatic: true,
          hasPriors: true,
          ...more,
        }),
        ACTOR,
      ),
    /** State, attempts and reason of each instance of a study at the destination. */
    states: (destinationId: string, studyInstanceUid = STUDY) =>
      forwarding
        .instances({ destinationId, studyInstanceUid }, { limit: 100 })
        .items.map(({ sopInstanceUid, state, attempts, lastError }) =>
          [sopInstanceUid, state, attempts, lastError && englishText(lastError)]
            .filter((part) => part !== null)
            .join(' '),
        ),
    audit: () =>
      store.audit
        .list({ limit: 100 })
        .items.map(({ actor, action, detail }) => ({ actor, action, detail })),
    async [Symbol.asyncDispose]() {
      await forwarding[Symbol.asyncDispose]()
      temp[Symbol.dispose]()
    },
  }
}
type SettingValues = { readonly [K in SettingKey]: SettingValue<K> }

type Store = ReturnType<typeof tempStore>['store']

async function written(
  store: Store,
  given: Pick<NewInstance, 'sopInstanceUid' | 'receivedAt'> & Partial<NewInstance>,
  dataSet = writeDataSet(
    imageDataSet({ studyInstanceUid: STUDY, seriesInstanceUid: `${STUDY}.1`, ...given }),
    given.transferSyntaxUid ?? TRANSFER_SYNTAX.explicitLittleEndian,
  ),
) {
  const {
    sopInstanceUid,
    receivedAt,
    studyInstanceUid = STUDY,
    sopClassUid = CT_IMAGE_STORAGE,
  } = given
  const { transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian } = given
  const meta = fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'CT1' })
  const file = store.imageFiles.begin()
  await file.write([meta, dataSet])
  await file.finish()
  const instance: NewInstance = {
    sopClassUid,
    studyInstanceUid,
    seriesInstanceUid: `${studyInstanceUid}.1`,
    transferSyntaxUid,
    file: fileFor(studyInstanceUid, randomUUID()),
    dataSetOffset: meta.length,
    bytes: meta.length + dataSet.length,
    crc32: 0,
    state: 'current',
    reason: null,
    detail: null,
    callingAeTitle: 'CT1',
    remoteAddress: '10.0.3.7',
    associationId: 'a1',
    deviceName: 'CT 1',
    lastSeenAt: receivedAt,
    modality: 'CT',
    instanceNumber: '1',
    scheduledProcedureStepId: '',
    image: null,
    patientName: 'Probe^Paula',
    ...given,
  }
  return { instance, file }
}

/** The rows of a kept instance, its study and series with it. */
function keepRow(store: Store, instance: NewInstance): InstanceRecord {
  const { studyInstanceUid, seriesInstanceUid, modality, bytes, receivedAt: at } = instance
  if (!findImageStudy(store.database, studyInstanceUid))
    insertImageStudy(store.database, {
      studyInstanceUid,
      createdAt: at,
      lastInstanceAt: at,
      state: 'receiving',
      settledAt: null,
      dueAt: at,
      callingAeTitle: 'CT1',
      remoteAddress: '10.0.3.7',
      deviceName: 'CT 1',
      transfer: { how: 'open', detail: null, at },
      header: { ...NO_HEADER, patientName: 'Probe^Paula', patientId: 'P1' },
      handedOut: null,
      mismatch: null,
      enrichment: { state: 'not-asked', askedAt: null, nextAt: null, detail: null, warnings: [] },
      isFetched: false,
      enrichmentAttempts: 0,
    })
  const kept = insertInstance(store.database, instance)
  const series = { seriesInstanceUid, modality, seriesNumber: '1', seriesDescription: '' }
  countInstance(
    store.database,
    studyInstanceUid,
    series,
    bytes,
    at,
    instance.state === 'quarantined' ? 'quarantined' : 'current',
  )
  return kept
}

const NO_HEADER = {
  patientName: '',
  patientId: '',
  patientBirthDate: '',
  patientSex: '',
  patientSize: '',
  patientWeight: '',
  patientAge: '',
  accessionNumber: '',
  studyDescription: '',
  requestedProcedureDescription: '',
  studyDate: '',
  studyTime: '',
  referringPhysicianName: '',
  institutionName: '',
  studyId: '',
  modality: '',
  requestedProcedureId: '',
  scheduledProcedureStepId: '',
  requestStudyInstanceUid: '',
  characterSetRule: '',
}
