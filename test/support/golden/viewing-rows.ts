import { GOLDEN_AT as at, GOLDEN, goldenSealed, made, type Rows, tokenHash } from './clinic.ts'
import { INSTANCES } from './image-rows.ts'

/** Schema 5: the viewer. */
export function viewingRows(): Rows {
  return {
    views: [
      {
        ...{
          viewId: 'v1',
          tokenHash: tokenHash('view'),
          kind: 'viewer',
          area: 'viewer',
          studyId: 'stu_1',
          studyInstanceUid: '1.2.3',
        },
        ...{ createdByApiKeyId: 'k1', createdAt: at, lastUsedAt: at, expiresAt: at },
      },
    ],
    viewFiles: [
      {
        fileKey: tokenHash('file'),
        studyInstanceUid: '1.2.3',
        file: 'f1',
        bytes: 9,
        usedAt: at,
        createdAt: at,
      },
    ],
    annotations: [
      {
        ...{ studyInstanceUid: '1.2.3', owner: 'user:usr_1', revision: 4, updatedAt: at },
        sealedAnnotations: goldenSealed(
          [{ label: GOLDEN.handwritten }],
          'annotations 1.2.3 user:usr_1',
        ),
      },
    ],
    captures: [
      {
        ...{
          captureId: 'c1',
          studyId: 'stu_1',
          studyInstanceUid: '1.2.3',
          sopInstanceUid: '1.2.3.88',
          seriesInstanceUid: '1.2.3.8',
        },
        ...{
          ofSopInstanceUid: INSTANCES[0],
          ofSeriesInstanceUid: '1.2.3.1',
          userId: 'usr_1',
          state: 'waiting',
          urls: 2,
          uploaded: 1,
        },
        ...{ attempts: 1, nextAt: at, lastError: '', ...made },
      },
    ],
  }
}
