import { createHash } from 'node:crypto'
import {
  GOLDEN_AT as at,
  GOLDEN,
  goldenSeal,
  goldenSealed,
  made,
  type Row,
  type Rows,
  tokenHash,
} from './clinic.ts'

/**
 * Schema 2: what the interface brought: customers, organizations, studies, their reports and links,
 * and what goes out.
 */
export const interfaceRows = (version: number): Rows => ({
  ...customerRows(),
  ...studyRows(),
  ...writtenReportRows(version),
  ...linkRows(),
  ...outgoingRows(version),
})

const customerRows = (): Rows => ({
  expressCustomers: [
    {
      ...{
        expressCustomerId: 'cus_1',
        name: 'Ärztehaus Süd',
        nameFolded: 'arztehaus sud',
        isActive: 1,
        createdByApiKeyId: 'k1',
        ...made,
      },
      sealedMetadata: goldenSealed({ ward: GOLDEN.handwritten }, 'metadata cus_1'),
    },
  ],
  customerUsers: [{ expressCustomerId: 'cus_1', userId: 'usr_1', createdAt: at }],
  organizations: [
    {
      ...{ orgId: 'org_1', name: 'North', createdByUserId: 'usr_1', ...made },
      sealedMetadata: goldenSealed({ ward: GOLDEN.handwritten }, 'metadata org_1'),
    },
  ],
  invitations: [
    {
      ...{
        invitationId: 'inv_1',
        userId: 'usr_2',
        email: 'ivo@clinic.example',
        emailKey: 'ivo@clinic.example',
        firstName: 'Ivo',
      },
      ...{
        lastName: 'Horák',
        level: 'member',
        clinicRole: 'Other',
        canManageStudies: 0,
        canCreateReports: 1,
        hasDashboardAccess: 1,
      },
      ...{ status: 'accepted', inviterId: 'usr_1', tokenHash: tokenHash('invitation'), ...made },
    },
  ],
})

function studyRows(): Rows {
  const study = { descriptionFolded: 'ct head', studyDescription: 'CT head', ...made }
  return {
    studies: [
      {
        ...{
          ...study,
          studyId: 'stu_1',
          area: 'viewer',
          studyInstanceUid: '1.2.3',
          severity: 'stat',
          status: 'incomplete',
        },
        ...{ expressCustomerId: 'cus_1', createdByApiKeyId: 'k1' },
        sealedDetail: goldenSealed({ metadata: { patient: GOLDEN.patient } }, 'study stu_1'),
      },
      {
        ...{
          ...study,
          studyId: 'stu_2',
          area: 'scribe',
          studyInstanceUid: '1.2.3',
          severity: 'normal',
          status: 'addendum_active',
        },
        ...{ assignedTo: 'usr_1', createdByUserId: 'usr_1' },
        sealedDetail: goldenSealed(
          {
            reportMetadata: { patientName: GOLDEN.patient },
            clinicalIndication: GOLDEN.handwritten,
          },
          'study stu_2',
        ),
      },
      {
        ...study,
        studyId: 'stu_3',
        area: 'scribe',
        studyInstanceUid: '1.2.4',
        severity: 'high',
        status: 'unassigned',
        cancelledAt: at,
      },
    ],
  }
}

function writtenReportRows(version: number): Rows {
  const report = (reportId: string, text: string, more: Row): Row => ({
    ...{ reportId, studyId: 'stu_2', userId: 'usr_1', ...made },
    sealedText: goldenSeal(text, `report text ${reportId}`),
    sealedSnapshot: goldenSealed({ patientName: GOLDEN.patient }, `report snapshot ${reportId}`),
    ...more,
  })
  const signed = (reportId: string, text: string, isCritical: number): Row => ({
    ...{ status: 'completed', signedAt: at, isCritical },
    ...(version >= 4 && {
      ...{ revision: 3, textHash: createHash('sha256').update(text).digest('hex') },
      sealedSigner: goldenSealed(
        { userId: 'usr_1', name: 'Eva Kern', clinicRole: 'Other', npiNumber: null },
        `report signer ${reportId}`,
      ),
    }),
  })
  return {
    reports: [
      report('rep_1', GOLDEN.reportText, {
        isAddendum: 0,
        ...signed('rep_1', GOLDEN.reportText, 1),
      }),
      report('rep_2', GOLDEN.addendumText, {
        isAddendum: 1,
        ...signed('rep_2', GOLDEN.addendumText, 0),
      }),
      report('rep_3', GOLDEN.draftText, {
        isAddendum: 1,
        status: 'in_progress',
        ...(version >= 4 && { revision: 2 }),
      }),
    ],
  }
}

const linkRows = (): Rows => ({
  links: [
    {
      tokenHash: tokenHash('viewer'),
      kind: 'viewer',
      area: 'viewer',
      studyId: 'stu_1',
      createdByApiKeyId: 'k1',
      createdAt: at,
      expiresAt: at,
    },
    {
      ...{
        tokenHash: tokenHash('ephemeral'),
        kind: 'ephemeral',
        area: 'viewer',
        createdAt: at,
        expiresAt: at,
      },
      sealedSession: goldenSealed({ retrievalId: 'r1' }, `link ${tokenHash('ephemeral')}`),
    },
  ],
})

const outgoingRows = (version: number): Rows => ({
  idempotencyKeys: [
    {
      ...{
        keyHash: tokenHash('idempotency'),
        bodyHash: tokenHash('body'),
        status: 201,
        createdAt: at,
      },
      sealedBody: goldenSeal(
        '{"studyId":"stu_1"}',
        `idempotent answer ${tokenHash('idempotency')}`,
      ),
    },
  ],
  outbox: [
    {
      ...{
        kind: 'report.delivered',
        subject: 'rep_1',
        state: 'waiting',
        attempts: 2,
        notBefore: at,
        lastError: 'no answer',
        ...made,
      },
      ...(version >= 4 && { lane: 'stu_2' }),
      sealedPayload: goldenSealed({ reportId: 'rep_1' }, 'outbox report.delivered rep_1'),
    },
    {
      kind: 'invitation.mail',
      subject: 'inv_1',
      state: 'sent',
      attempts: 1,
      notBefore: at,
      ...made,
    },
  ],
  secrets: [
    {
      name: 'mail.password',
      sealed: goldenSeal(GOLDEN.mailPassword, 'secret mail.password'),
      updatedAt: at,
    },
  ],
})
