import { unknownId } from '../../support/interface.ts'
import { of, openStage, PERSON, refuses } from './refusals-fixture.ts'

// Every refusal about customers, users and invitations: what is sent, the status, and the field it
// names.

const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))

openStage()

refuses('Express customers refuse', {
  'an empty name (400)': () => ({
    call: 'POST /v1/express',
    json: { expressCustomerName: '' },
    status: 400,
    names: 'body.expressCustomerName',
  }),
  'a missing name (400)': () => ({
    call: 'POST /v1/express',
    json: {},
    status: 400,
    names: 'body.expressCustomerName',
  }),
  '51 pairs of metadata (400)': () => ({
    call: 'POST /v1/express',
    json: { expressCustomerName: 'x', metadata: pairs(51) },
    status: 400,
    names: 'body.metadata',
  }),
  'a metadata value that is not text (400)': () => ({
    call: 'POST /v1/express',
    json: { expressCustomerName: 'x', metadata: { a: 1 } },
    status: 400,
    names: 'body.metadata.a',
  }),
  'a name that is null in a PATCH (400)': () => ({
    call: `PATCH /v1/express/${of.closed.expressCustomerId}`,
    json: { expressCustomerName: null },
    status: 400,
    names: 'body.expressCustomerName',
  }),
  'an id of another shape (400)': () => ({
    call: 'GET /v1/express/cus_1',
    status: 400,
    names: 'params.expressCustomerId',
  }),
  'an unknown customer (404)': () => ({ call: `GET /v1/express/${unknownId('cus')}`, status: 404 }),
  'to change an unknown customer (404)': () => ({
    call: `PATCH /v1/express/${unknownId('cus')}`,
    json: {},
    status: 404,
  }),
  'to deactivate an unknown customer (404)': () => ({
    call: `POST /v1/express/${unknownId('cus')}/deactivate`,
    status: 404,
  }),
  'to reactivate an unknown customer (404)': () => ({
    call: `POST /v1/express/${unknownId('cus')}/reactivate`,
    status: 404,
  }),
  'an unknown user (404)': () => ({
    call: `POST /v1/express/${of.closed.expressCustomerId}/users`,
    json: { userId: unknownId('usr') },
    status: 404,
  }),
  'to take away an unknown user (404)': () => ({
    call: `DELETE /v1/express/${of.closed.expressCustomerId}/users`,
    json: { userId: unknownId('usr') },
    status: 404,
  }),
  'a user without an id (400)': () => ({
    call: `POST /v1/express/${of.closed.expressCustomerId}/users`,
    json: {},
    status: 400,
    names: 'body.userId',
  }),
  'an organization without a name (400)': () => ({
    call: 'POST /v1/orgs',
    json: { orgName: ' ' },
    status: 400,
    names: 'body.orgName',
  }),
})

const user = (more: object) => ({ json: { ...PERSON, email: 'new@partner.example', ...more } })
refuses('users and invitations refuse', {
  'an e-mail of an invitation that is out, in any case (422)': () => ({
    call: 'POST /v1/scribe/users',
    ...user({ email: PERSON.email.toUpperCase() }),
    status: 422,
    names: 'body.email',
  }),
  'an e-mail of a user (422)': () => ({
    call: 'POST /v1/viewer/users',
    ...user({ email: 'Owner@Clinic.example' }),
    status: 422,
    names: 'body.email',
  }),
  'an owner (400)': () => ({
    call: 'POST /v1/viewer/users',
    ...user({ level: 'owner' }),
    status: 400,
    names: 'body.level',
  }),
  'an administrator without the window (422)': () => ({
    call: 'POST /v1/viewer/users',
    ...user({ level: 'admin' }),
    status: 422,
    names: 'body.hasDashboardAccess',
  }),
  'a reporter without an NPI (422)': () => ({
    call: 'POST /v1/scribe/users',
    ...user({ canCreateReports: true }),
    status: 422,
    names: 'body.npiNumber',
  }),
  'an NPI of nine digits (400)': () => ({
    call: 'POST /v1/scribe/users',
    ...user({ canCreateReports: true, npiNumber: '123456789' }),
    status: 400,
    names: 'body.npiNumber',
  }),
  'a telephone number with a plus (400)': () => ({
    call: 'POST /v1/viewer/users',
    ...user({ phoneNumber: '+15551234567' }),
    status: 400,
    names: 'body.phoneNumber',
  }),
  'a role that is not in the list (400)': () => ({
    call: 'POST /v1/viewer/users',
    ...user({ clinicRole: 'Astronaut' }),
    status: 400,
    names: 'body.clinicRole',
  }),
  'a text where true or false belongs (400)': () => ({
    call: 'POST /v1/viewer/users',
    ...user({ canManageStudies: 'true' }),
    status: 400,
    names: 'body.canManageStudies',
  }),
  'an unknown user (404)': () => ({
    call: `GET /v1/viewer/users/${unknownId('usr')}`,
    status: 404,
  }),
  'to change an unknown user (404)': () => ({
    call: `PATCH /v1/scribe/users/${unknownId('usr')}`,
    json: {},
    status: 404,
  }),
  'to change the owner (422)': () => ({
    call: `PATCH /v1/viewer/users/${of.ownerId}`,
    json: { firstName: 'X' },
    status: 422,
  }),
  'to make an administrator of a user without the window (422)': () => ({
    call: `PATCH /v1/viewer/users/${of.invited.userId}`,
    json: { level: 'admin' },
    status: 422,
    names: 'body.hasDashboardAccess',
  }),
  'to let a user report without an NPI (422)': () => ({
    call: `PATCH /v1/scribe/users/${of.invited.userId}`,
    json: { canCreateReports: true },
    status: 422,
    names: 'body.npiNumber',
  }),
  'a last name that is null (400)': () => ({
    call: `PATCH /v1/viewer/users/${of.invited.userId}`,
    json: { lastName: null },
    status: 400,
    names: 'body.lastName',
  }),
  'to revoke the access of an unknown user (404)': () => ({
    call: 'POST /v1/viewer/users/revoke-access',
    json: { userId: unknownId('usr') },
    status: 404,
  }),
  'to revoke the access of nobody (400)': () => ({
    call: 'POST /v1/viewer/users/revoke-access',
    json: {},
    status: 400,
    names: 'body.userId',
  }),
  'to reactivate an unknown user (404)': () => ({
    call: 'POST /v1/scribe/users/reactivate',
    json: { userId: unknownId('usr') },
    status: 404,
  }),
  'an unknown invitation (404)': () => ({
    call: `GET /v1/scribe/users/invitations/${unknownId('inv')}`,
    status: 404,
  }),
  'to change an unknown invitation (404)': () => ({
    call: `PATCH /v1/viewer/users/invitations/${unknownId('inv')}`,
    json: {},
    status: 404,
  }),
  'to change a revoked invitation (422)': () => ({
    call: `PATCH /v1/scribe/users/invitations/${of.goneInvitationId}`,
    json: { firstName: 'X' },
    status: 422,
  }),
  'to let an invited user report without an NPI (422)': () => ({
    call: `PATCH /v1/scribe/users/invitations/${of.invitationId}`,
    json: { canCreateReports: true },
    status: 422,
    names: 'body.npiNumber',
  }),
  'to revoke no invitation in particular (400)': () => ({
    call: 'POST /v1/scribe/users/invitations/revoke',
    json: {},
    status: 400,
  }),
  'to revoke an unknown invitation (404)': () => ({
    call: 'POST /v1/viewer/users/invitations/revoke',
    json: { invitationId: unknownId('inv') },
    status: 404,
  }),
  'to revoke an invitation of another user (400)': () => ({
    call: 'POST /v1/viewer/users/invitations/revoke',
    json: { invitationId: of.invitationId, userId: of.gone.userId },
    status: 400,
  }),
  'a first day that is none (400)': () => ({
    call: 'GET /v1/viewer/users/invitations?startDate=2026-13-01',
    status: 400,
    names: 'query.startDate',
  }),
  'an unknown status in a list (400)': () => ({
    call: 'GET /v1/scribe/users/invitations?status=sent%2Clost',
    status: 400,
    names: 'query.status.1',
  }),
})
