import {
  GOLDEN_AT as at,
  GOLDEN,
  goldenSeal,
  goldenSealed,
  made,
  type Row,
  type Rows,
} from './clinic.ts'

const DEVICE = { callingAeTitle: 'CT1', remoteAddress: '10.0.3.7', deviceName: 'CT room 1' }
export const INSTANCES = ['1.2.3.1.1', '1.2.3.1.2', '1.2.3.1.3'] as const

const NAMED = {
  patientName: GOLDEN.patient,
  patientId: 'PAT-4711',
  patientBirthDate: '19800102',
  patientSex: 'F',
  accessionNumber: 'ACC-1',
}
const STEP = { scheduledProcedureStepId: 'S1', requestedProcedureId: 'RP1' }
const HEADER = {
  ...{
    ...NAMED,
    ...STEP,
    patientSize: '',
    patientWeight: '',
    patientAge: '046Y',
    studyDescription: 'CT head',
  },
  ...{
    requestedProcedureDescription: 'CT head',
    studyDate: '20260310',
    studyTime: '0855',
    referringPhysicianName: '',
  },
  ...{
    institutionName: 'North Clinic',
    studyId: '1',
    modality: 'CT',
    requestStudyInstanceUid: '',
    characterSetRule: '',
  },
}
const HANDED_OUT = {
  ...NAMED,
  ...STEP,
  studyInstanceUid: '1.2.3',
  description: 'CT head',
  callingAeTitle: 'CT1',
  at,
}

/** Schema 3: images and what they were told by, with, and sent to. */
export function imageRows(version: number): Rows {
  const instance = (sopInstanceUid: string, index: number): Row => ({
    ...{
      sopInstanceUid,
      sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
      studyInstanceUid: '1.2.3',
      seriesInstanceUid: '1.2.3.1',
    },
    ...{
      transferSyntaxUid: '1.2.840.10008.1.2.1',
      file: `0${index}/golden${index}.dcm`,
      dataSetOffset: 400,
      bytes: 526_000 + index,
    },
    ...{
      crc32: 4_000_000_000 + index,
      state: 'current',
      detail: '',
      ...DEVICE,
      associationId: 'a1',
      receivedAt: at,
      lastSeenAt: at,
    },
    ...{
      modality: 'CT',
      instanceNumber: String(index + 1),
      scheduledProcedureStepId: 'S1',
      image: '{"rows":512,"columns":512}',
    },
    sealedPatientName: goldenSeal(GOLDEN.patient, 'patient of images 1.2.3'),
  })
  const quarantined = {
    state: 'quarantined',
    reason: 'different-content',
    detail: 'It differs from the one that is here.',
  }
  return {
    imageStudies: [
      {
        ...{
          studyInstanceUid: '1.2.3',
          createdAt: at,
          lastInstanceAt: at,
          state: 'settled',
          settledAt: at,
          dueAt: at,
          ...DEVICE,
        },
        ...{
          transferHow: 'released',
          transferDetail: '',
          transferAt: at,
          instances: 2,
          series: 1,
          bytes: 1_052_001,
          quarantined: 1,
        },
        ...(version < 6 && {
          patientIdKey: Buffer.alloc(32, 1),
          accessionKey: Buffer.alloc(32, 2),
        }),
        sealedHeader: goldenSealed(HEADER, 'images header 1.2.3'),
        sealedHandedOut: goldenSealed(HANDED_OUT, 'images row 1.2.3'),
        ...{
          isFetched: 0,
          enrichmentState: 'done',
          enrichmentAskedAt: at,
          enrichmentDetail: '',
          enrichmentWarnings: '[]',
        },
      },
    ],
    imageSeries: [
      {
        ...{
          studyInstanceUid: '1.2.3',
          seriesInstanceUid: '1.2.3.1',
          modality: 'CT',
          seriesNumber: '1',
          instances: 2,
          bytes: 1_052_001,
        },
        ...{
          lastInstanceAt: at,
          sealedDescription: goldenSeal('Head 1.0', 'series of images 1.2.3'),
        },
      },
    ],
    announcedInstances: INSTANCES.map((sopInstanceUid) => ({
      ...{
        sopInstanceUid,
        studyInstanceUid: '1.2.3',
        seriesInstanceUid: '1.2.3.1',
        isHere: 1,
        announcedAt: at,
      },
    })),
    instances: INSTANCES.map((uid, index) => ({
      ...instance(uid, index),
      ...(index === 2 && quarantined),
    })),
    seeds: [
      {
        ...{
          studyInstanceUid: '1.2.3',
          area: 'scribe',
          studyId: 'stu_2',
          seededAt: at,
          touched: '["severity"]',
        },
        sealedSeed: goldenSealed({ studyDescription: 'CT head' }, 'seed scribe 1.2.3'),
      },
    ],
    receivedSteps: [
      {
        studyInstanceUid: '1.2.3',
        scheduledProcedureStepId: 'S2',
        imageStudyUid: '1.2.3',
        receivedAt: at,
      },
    ],
    performedSteps: [
      {
        ...{
          sopInstanceUid: '1.2.3.9',
          status: 'COMPLETED',
          modality: 'CT',
          ...DEVICE,
          startedAt: at,
          endedAt: at,
        },
        ...{ discontinuationCode: '', discontinuationMeaning: '', instances: 2, updatedAt: at },
        sealedDataSet: goldenSealed({ PatientName: GOLDEN.patient }, 'performed step 1.2.3.9'),
      },
    ],
    performedStepItems: [
      { sopInstanceUid: '1.2.3.9', studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S1' },
    ],
    commitments: [
      {
        commitmentId: 1,
        transactionUid: '1.2.9',
        ...DEVICE,
        requestedAt: at,
        state: 'waiting',
        nextAt: at,
        lastError: '',
      },
    ],
    commitmentItems: [
      {
        commitmentId: 1,
        position: 0,
        sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
        sopInstanceUid: INSTANCES[0],
      },
    ],
    destinations: [
      {
        ...{
          destinationId: 'pacs',
          name: 'PACS',
          aeTitle: 'PACS',
          host: 'pacs.clinic.example',
          port: 104,
          isTls: 0,
          isEnabled: 1,
        },
        ...{ isAutomatic: 1, modalities: '["CT"]', hasPriors: 1, ...made, lastError: '' },
      },
    ],
    forwards: [
      {
        ...{
          destinationId: 'pacs',
          instanceId: 1,
          sopInstanceUid: INSTANCES[0],
          studyInstanceUid: '1.2.3',
          state: 'waiting',
        },
        ...{ queuedAt: at, nextAt: at, status: '', lastError: '', sentAs: '', ...made },
      },
    ],
  }
}
