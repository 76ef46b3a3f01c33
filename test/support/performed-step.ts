import type { PerformedStepRecord } from '#server/modules/procedure-steps/performed-step-queries.ts'

const AT = '2026-11-20T08:45:00.000Z'

/** A performed step in progress, of one scheduled step. */
export const performedStep = (more: Partial<PerformedStepRecord> = {}): PerformedStepRecord => ({
  ...{
    sopInstanceUid: '1.9.1',
    status: 'IN PROGRESS',
    modality: 'CT',
    callingAeTitle: 'CT1',
    remoteAddress: '10.0.3.7',
  },
  ...{
    deviceName: 'CT room 1',
    startedAt: AT,
    endedAt: null,
    discontinuationCode: '',
    discontinuationMeaning: '',
    instances: 0,
  },
  ...{
    dataSet: {},
    updatedAt: AT,
    items: [{ studyInstanceUid: '1.2', scheduledProcedureStepId: 'S1' }],
  },
  ...more,
})
