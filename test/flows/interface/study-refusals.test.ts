import { newUid, unknownId } from '../../support/interface.ts'
import { of, openStage, refuses, stage } from './refusals-fixture.ts'

// Every refusal about studies: what is sent, the status, and the field it names.

/** A good new study but for this. */
const viewed = (more: object) => ({
  json: { studyInstanceUid: newUid(), studyDescription: 'CT', severity: 'normal', ...more },
})
const scribed = (more: object) => viewed({ reportMetadata: {}, ...more })
const post = 'POST /v1/viewer/studies'
const postScribe = 'POST /v1/scribe/studies'

openStage()

refuses('viewer studies refuse', {
  'a second study of the UID in the area (422)': () => ({
    call: post,
    ...viewed({ studyInstanceUid: of.viewed.studyInstanceUid }),
    status: 422,
    names: 'body.studyInstanceUid',
  }),
  'an unknown assignedTo (422)': () => ({
    call: post,
    ...viewed({ assignedTo: unknownId('usr') }),
    status: 422,
    names: 'body.assignedTo',
  }),
  'a revoked assignedTo (422)': () => ({
    call: post,
    ...viewed({ assignedTo: stage.userIds.revoked }),
    status: 422,
    names: 'body.assignedTo',
  }),
  'an unknown customer (422)': () => ({
    call: post,
    ...viewed({ expressCustomerId: unknownId('cus') }),
    status: 422,
    names: 'body.expressCustomerId',
  }),
  'an organization as a customer (400)': () => ({
    call: post,
    ...viewed({ expressCustomerId: unknownId('org') }),
    status: 400,
    names: 'body.expressCustomerId',
  }),
  'a deactivated customer (422)': () => ({
    call: post,
    ...viewed({ expressCustomerId: of.closed.expressCustomerId }),
    status: 422,
    names: 'body.expressCustomerId',
  }),
  'a UID with a leading zero (400)': () => ({
    call: post,
    ...viewed({ studyInstanceUid: '1.2.03' }),
    status: 400,
    names: 'body.studyInstanceUid',
  }),
  'a UID with an empty component (400)': () => ({
    call: post,
    ...viewed({ studyInstanceUid: '1..2' }),
    status: 400,
    names: 'body.studyInstanceUid',
  }),
  'a UID of 65 characters (400)': () => ({
    call: post,
    ...viewed({ studyInstanceUid: `1.${'2'.repeat(63)}` }),
    status: 400,
    names: 'body.studyInstanceUid',
  }),
  'an empty description (400)': () => ({
    call: post,
    ...viewed({ studyDescription: '' }),
    status: 400,
    names: 'body.studyDescription',
  }),
  'an unknown severity (400)': () => ({
    call: post,
    ...viewed({ severity: 'urgent' }),
    status: 400,
    names: 'body.severity',
  }),
  'a number where text belongs (400)': () => ({
    call: post,
    ...viewed({ studyDescription: 7 }),
    status: 400,
    names: 'body.studyDescription',
  }),
  'an unknown studyViewerStatus (400)': () => ({
    call: `PATCH /v1/viewer/studies/${of.viewed.studyId}`,
    json: { studyViewerStatus: 'done' },
    status: 400,
    names: 'body.studyViewerStatus',
  }),
  'a PATCH to an unknown assignedTo (422)': () => ({
    call: `PATCH /v1/viewer/studies/${of.viewed.studyId}`,
    json: { assignedTo: unknownId('usr') },
    status: 422,
    names: 'body.assignedTo',
  }),
  'another assignment while cancelled (422)': () => ({
    call: `PATCH /v1/viewer/studies/${of.cancelledViewed.studyId}`,
    json: { assignedTo: stage.userIds.radiologist },
    status: 422,
  }),
  'a study of the scribe area (404)': () => ({
    call: `GET /v1/viewer/studies/${of.read.studyId}`,
    status: 404,
  }),
  'an unknown study (404)': () => ({
    call: `GET /v1/viewer/studies/${unknownId('stu')}`,
    status: 404,
  }),
  'to change an unknown study (404)': () => ({
    call: `PATCH /v1/viewer/studies/${unknownId('stu')}`,
    json: {},
    status: 404,
  }),
  'an unknown UID (404)': () => ({ call: 'GET /v1/viewer/studies/by-uid/1.2.3.4.5', status: 404 }),
  'what is no UID (400)': () => ({
    call: 'GET /v1/viewer/studies/by-uid/1.2.x',
    status: 400,
    names: 'params.studyInstanceUid',
  }),
  'to cancel nothing in particular (400)': () => ({
    call: 'POST /v1/viewer/studies/cancel',
    json: {},
    status: 400,
  }),
  'to cancel with no body at all (400)': () => ({
    call: 'POST /v1/viewer/studies/cancel',
    status: 400,
  }),
  'to cancel with the body null (400)': () => ({
    call: 'POST /v1/viewer/studies/cancel',
    body: 'null',
    headers: { 'content-type': 'application/json' },
    status: 400,
  }),
  'to cancel an unknown study (404)': () => ({
    call: 'POST /v1/viewer/studies/cancel',
    json: { studyId: unknownId('stu') },
    status: 404,
  }),
  'to uncancel an unknown UID (404)': () => ({
    call: 'POST /v1/viewer/studies/uncancel',
    json: { studyInstanceUid: '1.2.3.4.5' },
    status: 404,
  }),
  'an id and the UID of another study (400)': () => ({
    call: 'POST /v1/viewer/studies/cancel',
    json: { studyId: of.viewed.studyId, studyInstanceUid: of.other.studyInstanceUid },
    status: 400,
  }),
  'a URL for a cancelled study (422)': () => ({
    call: 'POST /v1/viewer/studies/reroute-url',
    json: { studyId: of.cancelledViewed.studyId },
    status: 422,
  }),
  'a URL for an unknown study (404)': () => ({
    call: 'POST /v1/viewer/studies/reroute-url',
    json: { studyId: unknownId('stu') },
    status: 404,
  }),
  'a URL for no study (400)': () => ({ call: 'POST /v1/viewer/studies/reroute-url', status: 400 }),
  'options of more than 3072 bytes (§1.3: 400)': () => ({
    call: 'POST /v1/viewer/ephemeral-sessions',
    json: { retrievalId: 'h', options: { text: 'ž'.repeat(1600) } },
    status: 400,
    names: 'body.options',
  }),
  'an unknown layout (§1.3: 400)': () => ({
    call: 'POST /v1/viewer/ephemeral-sessions',
    json: { retrievalId: 'h', hangingProtocol: { layout: '5x5', viewportAssignments: [] } },
    status: 400,
    names: 'body.hangingProtocol.layout',
  }),
  'an empty retrievalId (§1.3: 400)': () => ({
    call: 'POST /v1/viewer/ephemeral-sessions',
    json: { retrievalId: '' },
    status: 400,
    names: 'body.retrievalId',
  }),
})

refuses('scribe studies refuse', {
  'a study without reportMetadata (400)': () => ({
    call: postScribe,
    ...viewed({}),
    status: 400,
    names: 'body.reportMetadata',
  }),
  'a second study of the UID in the area (422)': () => ({
    call: postScribe,
    ...scribed({ studyInstanceUid: of.read.studyInstanceUid }),
    status: 422,
    names: 'body.studyInstanceUid',
  }),
  'a day that is not in the calendar (400)': () => ({
    call: postScribe,
    ...scribed({ reportMetadata: { dateOfBirth: '2026-02-30' } }),
    status: 400,
    names: 'body.reportMetadata.dateOfBirth',
  }),
  'a time with seconds (400)': () => ({
    call: postScribe,
    ...scribed({ reportMetadata: { scanTime: '08:00:00' } }),
    status: 400,
    names: 'body.reportMetadata.scanTime',
  }),
  'a height in feet (400)': () => ({
    call: postScribe,
    ...scribed({ reportMetadata: { height: { unit: 'ft', value: 6 } } }),
    status: 400,
    names: 'body.reportMetadata.height.unit',
  }),
  'a negative weight (400)': () => ({
    call: postScribe,
    ...scribed({ reportMetadata: { weight: { unit: 'kg', value: -1 } } }),
    status: 400,
    names: 'body.reportMetadata.weight.value',
  }),
  '51 prior texts (400)': () => ({
    call: postScribe,
    ...scribed({ priorReportTexts: Array(51).fill('x') }),
    status: 400,
    names: 'body.priorReportTexts',
  }),
  'a prior text of 50,001 characters (400)': () => ({
    call: postScribe,
    ...scribed({ priorReportTexts: ['x'.repeat(50_001)] }),
    status: 400,
    names: 'body.priorReportTexts.0',
  }),
  'an unknown prior study (422)': () => ({
    call: postScribe,
    ...scribed({ priorStudyIds: [of.viewed.studyId, unknownId('stu')] }),
    status: 422,
    names: 'body.priorStudyIds.1',
  }),
  'a prior study out of the key’s scope (422)': () => ({
    call: postScribe,
    by: 'self',
    ...scribed({ priorStudyIds: [of.read.studyId] }),
    status: 422,
    names: 'body.priorStudyIds.0',
  }),
  'an unknown customer in a PATCH (422)': () => ({
    call: `PATCH /v1/scribe/studies/${of.read.studyId}`,
    json: { expressCustomerId: unknownId('cus') },
    status: 422,
    names: 'body.expressCustomerId',
  }),
  'a deactivated customer in a PATCH (422)': () => ({
    call: `PATCH /v1/scribe/studies/${of.read.studyId}`,
    json: { expressCustomerId: of.closed.expressCustomerId },
    status: 422,
    names: 'body.expressCustomerId',
  }),
  'another assignment while cancelled (422)': () => ({
    call: `PATCH /v1/scribe/studies/${of.cancelled.studyId}`,
    json: { assignedTo: stage.userIds.radiologist },
    status: 422,
  }),
  'a study of the viewer area (404)': () => ({
    call: `GET /v1/scribe/studies/${of.viewed.studyId}`,
    status: 404,
  }),
  'a study out of the key’s scope (404)': () => ({
    call: `GET /v1/scribe/studies/${of.read.studyId}`,
    by: 'self',
    status: 404,
  }),
  'a UID out of the key’s scope (404)': () => ({
    call: `GET /v1/scribe/studies/by-uid/${of.read.studyInstanceUid}`,
    by: 'self',
    status: 404,
  }),
  'to change a study out of the key’s scope (404)': () => ({
    call: `PATCH /v1/scribe/studies/${of.read.studyId}`,
    by: 'self',
    json: { severity: 'stat' },
    status: 404,
  }),
  'to cancel a study out of the key’s scope (404)': () => ({
    call: 'POST /v1/scribe/studies/cancel',
    by: 'self',
    json: { studyId: of.read.studyId },
    status: 404,
  }),
  'the reports of a study out of the key’s scope (404)': () => ({
    call: `GET /v1/scribe/reports?studyId=${of.read.studyId}`,
    by: 'self',
    status: 404,
  }),
  'a URL for a study out of the key’s scope (404)': () => ({
    call: 'POST /v1/scribe/studies/reroute-url',
    by: 'self',
    json: { studyId: of.read.studyId, assignedToUserId: stage.userIds.radiologist },
    status: 404,
  }),
  'a URL for a user who cannot report (422)': () => ({
    call: 'POST /v1/scribe/studies/reroute-url',
    json: { studyId: of.read.studyId, assignedToUserId: stage.userIds.member },
    status: 422,
    names: 'body.assignedToUserId',
  }),
  'a URL for a revoked user (422)': () => ({
    call: 'POST /v1/scribe/studies/reroute-url',
    json: { studyId: of.read.studyId, assignedToUserId: stage.userIds.revoked },
    status: 422,
    names: 'body.assignedToUserId',
  }),
  'a URL for an unknown user (422)': () => ({
    call: 'POST /v1/scribe/studies/reroute-url',
    json: { studyId: of.read.studyId, assignedToUserId: unknownId('usr') },
    status: 422,
    names: 'body.assignedToUserId',
  }),
  'a URL for a cancelled study (422)': () => ({
    call: 'POST /v1/scribe/studies/reroute-url',
    json: { studyId: of.cancelled.studyId, assignedToUserId: stage.userIds.radiologist },
    status: 422,
  }),
  'a URL without a user (400)': () => ({
    call: 'POST /v1/scribe/studies/reroute-url',
    json: { studyId: of.read.studyId },
    status: 400,
    names: 'body.assignedToUserId',
  }),
  'a viewer URL to a key without the viewer (403)': () => ({
    call: 'POST /v1/scribe/studies/viewer-only-reroute-url',
    by: 'plain',
    json: { studyId: of.read.studyId },
    status: 403,
  }),
  'a viewer URL for an unknown study (404)': () => ({
    call: 'POST /v1/scribe/studies/viewer-only-reroute-url',
    json: { studyId: unknownId('stu') },
    status: 404,
  }),
  'an ephemeral session that nobody answers for (422)': () => ({
    call: 'POST /v1/scribe/ephemeral-sessions',
    json: { retrievalId: 'h' },
    status: 422,
  }),
})
