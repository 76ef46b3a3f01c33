import type { Path } from '#shared/operation.ts'
import { unknownId } from '../../support/interface.ts'
import { of, openStage, refuses } from './refusals-fixture.ts'

// Every refusal about lists and reports: what is sent, the status, and the field it names.

openStage()

refuses('reports refuse', {
  'a list of no study (400)': () => ({ call: 'GET /v1/scribe/reports', status: 400 }),
  'a list of an unknown study (404)': () => ({
    call: `GET /v1/scribe/reports?studyId=${unknownId('stu')}`,
    status: 404,
  }),
  'texts of nothing (400)': () => ({ call: 'GET /v1/scribe/reports/text', status: 400 }),
  'PDFs of nothing (400)': () => ({ call: 'GET /v1/scribe/reports/pdf', status: 400 }),
  'the text of an unknown report (404)': () => ({
    call: `GET /v1/scribe/reports/text?reportId=${unknownId('rep')}`,
    status: 404,
  }),
  'the PDF of an unknown report (404)': () => ({
    call: `GET /v1/scribe/reports/pdf?reportId=${unknownId('rep')}`,
    status: 404,
  }),
  'an addendum on an unknown report (404)': () => ({
    call: `POST /v1/scribe/reports/${unknownId('rep')}/addendum`,
    status: 404,
  }),
  'to cancel the addendum of an unknown report (404)': () => ({
    call: `POST /v1/scribe/reports/${unknownId('rep')}/cancel-addendum`,
    status: 404,
  }),
  'an id and the UID of another study (400)': () => ({
    call: `GET /v1/scribe/reports?studyId=${of.read.studyId}&studyInstanceUid=${of.cancelled.studyInstanceUid}`,
    status: 400,
  }),
})

refuses('lists refuse', {
  ...Object.fromEntries(
    ['0', '101', '2.5', '-1', 'ten'].map((limit) => [
      `limit=${limit} (400)`,
      () => ({
        call: `GET /v1/viewer/studies?limit=${limit}` as Path,
        status: 400,
        names: 'query.limit',
      }),
    ]),
  ),
  'a cursor that is none (400)': () => ({
    call: 'GET /v1/scribe/studies?cursor=abc',
    status: 400,
    names: 'query.cursor',
  }),
  'a cursor of an offset (400)': () => ({
    call: `GET /v1/express?cursor=${Buffer.from('{"offset":20}').toString('base64')}`,
    status: 400,
    names: 'query.cursor',
  }),
  'an unknown severity (400)': () => ({
    call: 'GET /v1/viewer/studies?severity=urgent',
    status: 400,
    names: 'query.severity',
  }),
  'an unknown status among known ones (400)': () => ({
    call: 'GET /v1/scribe/studies?studyReportStatus=assigned,lost',
    status: 400,
    names: 'query.studyReportStatus.1',
  }),
  'an assignedTo of another shape (400)': () => ({
    call: 'GET /v1/scribe/studies?assignedTo=me',
    status: 400,
    names: 'query.assignedTo',
  }),
  'an isCancelled that is neither (400)': () => ({
    call: 'GET /v1/viewer/studies?isCancelled=yes',
    status: 400,
    names: 'query.isCancelled',
  }),
  'an unknown level (400)': () => ({
    call: 'GET /v1/viewer/users?level=root',
    status: 400,
    names: 'query.level',
  }),
})
