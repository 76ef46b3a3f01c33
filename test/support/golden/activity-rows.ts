import { GOLDEN_AT as at, type Rows, tokenHash } from './clinic.ts'

/** Schema 8: what devices do. */
export function activityRows(): Rows {
  return {
    associationTerms: [{ termsId: 1, hash: tokenHash('terms'), terms: '{"contexts":[]}' }],
    associations: [
      {
        ...{
          seq: 1,
          associationId: 'a1',
          deviceId: 'd1',
          deviceName: 'CT room 1',
          aeTitle: 'CT1',
          calledAeTitle: 'ISTHMUS',
        },
        ...{
          address: '10.0.3.7',
          tls: '',
          openedAt: at,
          endedAt: at,
          how: 'released',
          detail: '',
          tone: 'good',
          times: 1,
          echoes: 0,
        },
        ...{
          queries: 1,
          exams: 1,
          instances: 3,
          bytes: 1_578_003,
          steps: 1,
          commitments: 1,
          failures: 0,
          omitted: 0,
          folded: 'ct1',
          termsId: 1,
        },
      },
    ],
    associationLines: [
      {
        seq: 1,
        lineId: 1,
        at,
        kind: 'query',
        tone: 'good',
        text: 'CT1 asked and got one exam.',
        inspectionId: 1,
      },
    ],
  }
}
