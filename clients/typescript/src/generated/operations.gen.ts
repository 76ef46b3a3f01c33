// Generated from docs/openapi.json by npm run clients. Do not edit.

import { Pages } from '../pages.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as Types from './types.gen.ts'

/** Users and their invitations. Users are one table that both areas read. */
export class ViewerUsers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Invite a user and send the invitation.
   *
   * Creates the user and sends an invitation by e-mail. The user ID is final. Refused with 422 if the e-mail address belongs to a user or a pending invitation, and for an administrator without access to the window. Needs a key with the viewer area that may manage people.
   *
   * `POST /v1/viewer/users`
   */
  invite(
    body: Types.ViewerUsersInviteData['body'],
    options?: CallOptions,
  ): Promise<Types.ViewerUsersInviteResponse> {
    return this.#transport.send<Types.ViewerUsersInviteResponse>({ method: 'POST', path: '/v1/viewer/users', body, options })
  }

  /**
   * List users, newest first.
   *
   * Returns users, including those who were invited or revoked, newest first. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/users`
   */
  list(
    query: NonNullable<Types.ViewerUsersListData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ViewerUsersListResponse, Types.ViewerUsersListResponse['users'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/viewer/users', query, options }, 'users')
  }

  /**
   * Read a user.
   *
   * Returns one user of the clinic. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/users/{userId}`
   */
  read(
    userId: string,
    options?: CallOptions,
  ): Promise<Types.ViewerUsersReadResponse> {
    return this.#transport.send<Types.ViewerUsersReadResponse>({ method: 'GET', path: `/v1/viewer/users/${encodeURIComponent(userId)}`, options })
  }

  /**
   * Update a user; the e-mail cannot be changed.
   *
   * Changes the fields that the body contains; null removes an optional one. The e-mail address cannot be changed. An owner cannot be changed by the interface (422). Needs a key with the viewer area that may manage people.
   *
   * `PATCH /v1/viewer/users/{userId}`
   */
  update(
    userId: string,
    body: NonNullable<Types.ViewerUsersUpdateData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerUsersUpdateResponse> {
    return this.#transport.send<Types.ViewerUsersUpdateResponse>({ method: 'PATCH', path: `/v1/viewer/users/${encodeURIComponent(userId)}`, body, options })
  }

  /**
   * Revoke a user’s access; data is preserved.
   *
   * Ends the user’s access at once; their studies and reports are kept. Revoking again changes nothing. Needs a key with the viewer area that may manage people.
   *
   * `POST /v1/viewer/users/revoke-access`
   */
  revokeAccess(
    body: Types.ViewerUsersRevokeAccessData['body'],
    options?: CallOptions,
  ): Promise<Types.ViewerUsersRevokeAccessResponse> {
    return this.#transport.send<Types.ViewerUsersRevokeAccessResponse>({ method: 'POST', path: '/v1/viewer/users/revoke-access', body, options })
  }

  /**
   * Restore a user’s access.
   *
   * Restores the access that the user had before it was revoked. `success` is false if it was not revoked. Needs a key with the viewer area that may manage people.
   *
   * `POST /v1/viewer/users/reactivate`
   */
  reactivate(
    body: Types.ViewerUsersReactivateData['body'],
    options?: CallOptions,
  ): Promise<Types.ViewerUsersReactivateResponse> {
    return this.#transport.send<Types.ViewerUsersReactivateResponse>({ method: 'POST', path: '/v1/viewer/users/reactivate', body, options })
  }

  /**
   * List invitations, newest first.
   *
   * Returns invitations that match every given filter, newest first. An expired invitation keeps the status `sent`. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/users/invitations`
   */
  invitations(
    query: NonNullable<Types.ViewerUsersInvitationsData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ViewerUsersInvitationsResponse, Types.ViewerUsersInvitationsResponse['invitations'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/viewer/users/invitations', query, options }, 'invitations')
  }

  /**
   * Read an invitation.
   *
   * Returns one invitation. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/users/invitations/{invitationId}`
   */
  invitation(
    invitationId: string,
    options?: CallOptions,
  ): Promise<Types.ViewerUsersInvitationResponse> {
    return this.#transport.send<Types.ViewerUsersInvitationResponse>({ method: 'GET', path: `/v1/viewer/users/invitations/${encodeURIComponent(invitationId)}`, options })
  }

  /**
   * Update an invitation that is neither expired nor processed.
   *
   * Changes a pending invitation, and the user that it belongs to. Refused with 422 once it has expired or was accepted, rejected or revoked. Needs a key with the viewer area that may manage people.
   *
   * `PATCH /v1/viewer/users/invitations/{invitationId}`
   */
  updateInvitation(
    invitationId: string,
    body: NonNullable<Types.ViewerUsersUpdateInvitationData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerUsersUpdateInvitationResponse> {
    return this.#transport.send<Types.ViewerUsersUpdateInvitationResponse>({ method: 'PATCH', path: `/v1/viewer/users/invitations/${encodeURIComponent(invitationId)}`, body, options })
  }

  /**
   * Revoke a pending invitation.
   *
   * Revokes a pending invitation, named by `invitationId`, `userId` or both, which must match. `success` is false if it is no longer pending. Needs a key with the viewer area that may manage people.
   *
   * `POST /v1/viewer/users/invitations/revoke`
   */
  revokeInvitation(
    body: NonNullable<Types.ViewerUsersRevokeInvitationData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerUsersRevokeInvitationResponse> {
    return this.#transport.send<Types.ViewerUsersRevokeInvitationResponse>({ method: 'POST', path: '/v1/viewer/users/invitations/revoke', body, options })
  }
}

/** Users who may sign reports, and their invitations. */
export class ScribeUsers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Invite a user, who may sign reports, and send the invitation.
   *
   * Creates the user and sends an invitation by e-mail. The user ID is final. `npiNumber` is required with `canCreateReports`. Refused with 422 if the e-mail address belongs to a user or a pending invitation. Needs a key that may manage people.
   *
   * `POST /v1/scribe/users`
   */
  invite(
    body: Types.ScribeUsersInviteData['body'],
    options?: CallOptions,
  ): Promise<Types.ScribeUsersInviteResponse> {
    return this.#transport.send<Types.ScribeUsersInviteResponse>({ method: 'POST', path: '/v1/scribe/users', body, options })
  }

  /**
   * List users, newest first.
   *
   * Returns users, including those who were invited or revoked, newest first.
   *
   * `GET /v1/scribe/users`
   */
  list(
    query: NonNullable<Types.ScribeUsersListData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ScribeUsersListResponse, Types.ScribeUsersListResponse['users'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/scribe/users', query, options }, 'users')
  }

  /**
   * Read a user.
   *
   * Returns one user of the clinic.
   *
   * `GET /v1/scribe/users/{userId}`
   */
  read(
    userId: string,
    options?: CallOptions,
  ): Promise<Types.ScribeUsersReadResponse> {
    return this.#transport.send<Types.ScribeUsersReadResponse>({ method: 'GET', path: `/v1/scribe/users/${encodeURIComponent(userId)}`, options })
  }

  /**
   * Update a user; the e-mail cannot be changed.
   *
   * Changes the fields that the body contains; null removes an optional one. The e-mail address cannot be changed. `npiNumber` is required where the user may create reports. An owner cannot be changed by the interface (422). Needs a key that may manage people.
   *
   * `PATCH /v1/scribe/users/{userId}`
   */
  update(
    userId: string,
    body: NonNullable<Types.ScribeUsersUpdateData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeUsersUpdateResponse> {
    return this.#transport.send<Types.ScribeUsersUpdateResponse>({ method: 'PATCH', path: `/v1/scribe/users/${encodeURIComponent(userId)}`, body, options })
  }

  /**
   * Revoke a user’s access; data is preserved.
   *
   * Ends the user’s access at once; their studies and reports are kept. Revoking again changes nothing. Needs a key that may manage people.
   *
   * `POST /v1/scribe/users/revoke-access`
   */
  revokeAccess(
    body: Types.ScribeUsersRevokeAccessData['body'],
    options?: CallOptions,
  ): Promise<Types.ScribeUsersRevokeAccessResponse> {
    return this.#transport.send<Types.ScribeUsersRevokeAccessResponse>({ method: 'POST', path: '/v1/scribe/users/revoke-access', body, options })
  }

  /**
   * Restore a user’s access.
   *
   * Restores the access that the user had before it was revoked. `success` is false if it was not revoked. Needs a key that may manage people.
   *
   * `POST /v1/scribe/users/reactivate`
   */
  reactivate(
    body: Types.ScribeUsersReactivateData['body'],
    options?: CallOptions,
  ): Promise<Types.ScribeUsersReactivateResponse> {
    return this.#transport.send<Types.ScribeUsersReactivateResponse>({ method: 'POST', path: '/v1/scribe/users/reactivate', body, options })
  }

  /**
   * List invitations, newest first.
   *
   * Returns invitations that match every given filter, newest first. An expired invitation keeps the status `sent`.
   *
   * `GET /v1/scribe/users/invitations`
   */
  invitations(
    query: NonNullable<Types.ScribeUsersInvitationsData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ScribeUsersInvitationsResponse, Types.ScribeUsersInvitationsResponse['invitations'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/scribe/users/invitations', query, options }, 'invitations')
  }

  /**
   * Read an invitation.
   *
   * Returns one invitation.
   *
   * `GET /v1/scribe/users/invitations/{invitationId}`
   */
  invitation(
    invitationId: string,
    options?: CallOptions,
  ): Promise<Types.ScribeUsersInvitationResponse> {
    return this.#transport.send<Types.ScribeUsersInvitationResponse>({ method: 'GET', path: `/v1/scribe/users/invitations/${encodeURIComponent(invitationId)}`, options })
  }

  /**
   * Update an invitation that is neither expired nor processed.
   *
   * Changes a pending invitation, and the user that it belongs to. Refused with 422 once it has expired or was accepted, rejected or revoked. Needs a key that may manage people.
   *
   * `PATCH /v1/scribe/users/invitations/{invitationId}`
   */
  updateInvitation(
    invitationId: string,
    body: NonNullable<Types.ScribeUsersUpdateInvitationData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeUsersUpdateInvitationResponse> {
    return this.#transport.send<Types.ScribeUsersUpdateInvitationResponse>({ method: 'PATCH', path: `/v1/scribe/users/invitations/${encodeURIComponent(invitationId)}`, body, options })
  }

  /**
   * Revoke a pending invitation.
   *
   * Revokes a pending invitation, named by `invitationId`, `userId` or both, which must match. `success` is false if it is no longer pending. Needs a key that may manage people.
   *
   * `POST /v1/scribe/users/invitations/revoke`
   */
  revokeInvitation(
    body: NonNullable<Types.ScribeUsersRevokeInvitationData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeUsersRevokeInvitationResponse> {
    return this.#transport.send<Types.ScribeUsersRevokeInvitationResponse>({ method: 'POST', path: '/v1/scribe/users/invitations/revoke', body, options })
  }
}

/** Customers group users and studies. */
export class Express {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create an Express customer.
   *
   * Creates a customer, which groups users and studies. Names need not be unique: send an `Idempotency-Key` so that a repeated request does not create a second one.
   *
   * `POST /v1/express`
   */
  create(
    body: Types.ExpressCreateData['body'],
    options?: CallOptions,
  ): Promise<Types.ExpressCreateResponse> {
    return this.#transport.send<Types.ExpressCreateResponse>({ method: 'POST', path: '/v1/express', body, options })
  }

  /**
   * List Express customers, newest first.
   *
   * Returns customers, active or not, newest first. `expressCustomerName` matches a part of the name in any case.
   *
   * `GET /v1/express`
   */
  list(
    query: NonNullable<Types.ExpressListData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ExpressListResponse, Types.ExpressListResponse['expressCustomers'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/express', query, options }, 'expressCustomers')
  }

  /**
   * Read an Express customer.
   *
   * Returns one customer.
   *
   * `GET /v1/express/{expressCustomerId}`
   */
  read(
    expressCustomerId: string,
    options?: CallOptions,
  ): Promise<Types.ExpressReadResponse> {
    return this.#transport.send<Types.ExpressReadResponse>({ method: 'GET', path: `/v1/express/${encodeURIComponent(expressCustomerId)}`, options })
  }

  /**
   * Update an Express customer; metadata null clears all.
   *
   * Changes the fields that the body contains. `metadata` is replaced as a whole, and null removes it.
   *
   * `PATCH /v1/express/{expressCustomerId}`
   */
  update(
    expressCustomerId: string,
    body: NonNullable<Types.ExpressUpdateData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ExpressUpdateResponse> {
    return this.#transport.send<Types.ExpressUpdateResponse>({ method: 'PATCH', path: `/v1/express/${encodeURIComponent(expressCustomerId)}`, body, options })
  }

  /**
   * Block a customer for new studies and new users; existing data is preserved.
   *
   * Refuses new studies and new users for the customer. Existing studies, users and links are unchanged. Deactivating an inactive customer changes nothing.
   *
   * `POST /v1/express/{expressCustomerId}/deactivate`
   */
  deactivate(
    expressCustomerId: string,
    options?: CallOptions,
  ): Promise<Types.ExpressDeactivateResponse> {
    return this.#transport.send<Types.ExpressDeactivateResponse>({ method: 'POST', path: `/v1/express/${encodeURIComponent(expressCustomerId)}/deactivate`, options })
  }

  /**
   * Reactivate a customer.
   *
   * Allows new studies and users again. Reactivating an active customer changes nothing.
   *
   * `POST /v1/express/{expressCustomerId}/reactivate`
   */
  reactivate(
    expressCustomerId: string,
    options?: CallOptions,
  ): Promise<Types.ExpressReactivateResponse> {
    return this.#transport.send<Types.ExpressReactivateResponse>({ method: 'POST', path: `/v1/express/${encodeURIComponent(expressCustomerId)}/reactivate`, options })
  }

  /**
   * Associate an existing user with the customer.
   *
   * Links a user to the customer. A user who is linked to any customer sees only the studies of the linked ones. `success` is false for an inactive customer; linking twice changes nothing. Needs a key that may manage people.
   *
   * `POST /v1/express/{expressCustomerId}/users`
   */
  addUser(
    expressCustomerId: string,
    body: Types.ExpressAddUserData['body'],
    options?: CallOptions,
  ): Promise<Types.ExpressAddUserResponse> {
    return this.#transport.send<Types.ExpressAddUserResponse>({ method: 'POST', path: `/v1/express/${encodeURIComponent(expressCustomerId)}/users`, body, options })
  }

  /**
   * Remove the association; the account stays active.
   *
   * Removes the link. The account stays active. `success` is false if the user was not linked. Needs a key that may manage people.
   *
   * `DELETE /v1/express/{expressCustomerId}/users`
   */
  removeUser(
    expressCustomerId: string,
    body: Types.ExpressRemoveUserData['body'],
    options?: CallOptions,
  ): Promise<Types.ExpressRemoveUserResponse> {
    return this.#transport.send<Types.ExpressRemoveUserResponse>({ method: 'DELETE', path: `/v1/express/${encodeURIComponent(expressCustomerId)}/users`, body, options })
  }
}

/** Legacy: a record of its own, never interchangeable with an Express customer. */
export class Orgs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create an organization (legacy).
   *
   * Creates an organization for integrations made before Express customers existed. Nothing else refers to it; use `POST /v1/express` in new code.
   *
   * `POST /v1/orgs`
   */
  create(
    body: Types.OrgsCreateData['body'],
    options?: CallOptions,
  ): Promise<Types.OrgsCreateResponse> {
    return this.#transport.send<Types.OrgsCreateResponse>({ method: 'POST', path: '/v1/orgs', body, options })
  }
}

/** Studies by DICOM Study Instance UID, and the viewer’s URLs. These calls need a key with the viewer area. */
export class Viewer {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a viewer study.
   *
   * Registers a study by its Study Instance UID, which is unique in the viewer area. An unknown user or customer, an inactive customer, or a UID that exists already is refused with 422. Needs a key with the viewer area.
   *
   * `POST /v1/viewer/studies`
   */
  create(
    body: Types.ViewerCreateData['body'],
    options?: CallOptions,
  ): Promise<Types.ViewerCreateResponse> {
    return this.#transport.send<Types.ViewerCreateResponse>({ method: 'POST', path: '/v1/viewer/studies', body, options })
  }

  /**
   * List viewer studies, newest first.
   *
   * Returns studies that match every given filter, newest first. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/studies`
   */
  list(
    query: NonNullable<Types.ViewerListData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ViewerListResponse, Types.ViewerListResponse['studies'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/viewer/studies', query, options }, 'studies')
  }

  /**
   * Read a viewer study.
   *
   * Returns one study. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/studies/{studyId}`
   */
  read(
    studyId: string,
    options?: CallOptions,
  ): Promise<Types.ViewerReadResponse> {
    return this.#transport.send<Types.ViewerReadResponse>({ method: 'GET', path: `/v1/viewer/studies/${encodeURIComponent(studyId)}`, options })
  }

  /**
   * Update a viewer study.
   *
   * Changes the fields that the body contains. `assignedTo` null unassigns the study; `metadata` is replaced as a whole, and null removes it. A cancelled study cannot be reassigned (422). Needs a key with the viewer area.
   *
   * `PATCH /v1/viewer/studies/{studyId}`
   */
  update(
    studyId: string,
    body: NonNullable<Types.ViewerUpdateData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerUpdateResponse> {
    return this.#transport.send<Types.ViewerUpdateResponse>({ method: 'PATCH', path: `/v1/viewer/studies/${encodeURIComponent(studyId)}`, body, options })
  }

  /**
   * Read a viewer study by its UID.
   *
   * Returns the study with this Study Instance UID. Needs a key with the viewer area.
   *
   * `GET /v1/viewer/studies/by-uid/{studyInstanceUid}`
   */
  byUid(
    studyInstanceUid: string,
    options?: CallOptions,
  ): Promise<Types.ViewerByUidResponse> {
    return this.#transport.send<Types.ViewerByUidResponse>({ method: 'GET', path: `/v1/viewer/studies/by-uid/${encodeURIComponent(studyInstanceUid)}`, options })
  }

  /**
   * Cancel a study.
   *
   * Marks the study, named by `studyId`, `studyInstanceUid` or both, as cancelled. It is kept and can be reinstated. Cancelling it again changes nothing. Needs a key with the viewer area.
   *
   * `POST /v1/viewer/studies/cancel`
   */
  cancel(
    body: NonNullable<Types.ViewerCancelData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerCancelResponse> {
    return this.#transport.send<Types.ViewerCancelResponse>({ method: 'POST', path: '/v1/viewer/studies/cancel', body, options })
  }

  /**
   * Reinstate a cancelled study.
   *
   * Reinstates a cancelled study. `success` is false if it was not cancelled. Needs a key with the viewer area.
   *
   * `POST /v1/viewer/studies/uncancel`
   */
  uncancel(
    body: NonNullable<Types.ViewerUncancelData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerUncancelResponse> {
    return this.#transport.send<Types.ViewerUncancelResponse>({ method: 'POST', path: '/v1/viewer/studies/uncancel', body, options })
  }

  /**
   * Create a time-limited link that opens the viewer on the study.
   *
   * Returns a link that opens the viewer on the study without signing in. It can be used once, within 15 minutes unless the clinic chose another time. Needs a key with the viewer area.
   *
   * `POST /v1/viewer/studies/reroute-url`
   */
  rerouteUrl(
    body: NonNullable<Types.ViewerRerouteUrlData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ViewerRerouteUrlResponse> {
    return this.#transport.send<Types.ViewerRerouteUrlResponse>({ method: 'POST', path: '/v1/viewer/studies/reroute-url', body, options })
  }

  /**
   * Create a viewer session without a study.
   *
   * Returns a link to the viewer for images that no study here refers to. The link can be used within 30 seconds; the gateway then sends `ephemeral.access_requested` with `retrievalId` and `options`. Refused with 422 where no endpoint receives that event. Needs a key with the viewer area.
   *
   * `POST /v1/viewer/ephemeral-sessions`
   */
  ephemeralSession(
    body: Types.ViewerEphemeralSessionData['body'],
    options?: CallOptions,
  ): Promise<Types.ViewerEphemeralSessionResponse> {
    return this.#transport.send<Types.ViewerEphemeralSessionResponse>({ method: 'POST', path: '/v1/viewer/ephemeral-sessions', body, options })
  }
}

/** Studies with patient and scan metadata for reporting. */
export class Scribe {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a study for reporting.
   *
   * Registers a study for reporting by its Study Instance UID, which is unique in the reporting area. It starts as `assigned` if `assignedTo` is given, otherwise as `unassigned`. An unknown user, customer or prior study is refused with 422.
   *
   * `POST /v1/scribe/studies`
   */
  create(
    body: Types.ScribeCreateData['body'],
    options?: CallOptions,
  ): Promise<Types.ScribeCreateResponse> {
    return this.#transport.send<Types.ScribeCreateResponse>({ method: 'POST', path: '/v1/scribe/studies', body, options })
  }

  /**
   * List scribe studies, newest first.
   *
   * Returns studies that match every given filter, newest first.
   *
   * `GET /v1/scribe/studies`
   */
  list(
    query: NonNullable<Types.ScribeListData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.ScribeListResponse, Types.ScribeListResponse['studies'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/scribe/studies', query, options }, 'studies')
  }

  /**
   * Read a scribe study.
   *
   * Returns one study, with the IDs of its reports.
   *
   * `GET /v1/scribe/studies/{studyId}`
   */
  read(
    studyId: string,
    options?: CallOptions,
  ): Promise<Types.ScribeReadResponse> {
    return this.#transport.send<Types.ScribeReadResponse>({ method: 'GET', path: `/v1/scribe/studies/${encodeURIComponent(studyId)}`, options })
  }

  /**
   * Update a scribe study.
   *
   * Changes the fields that the body contains. `reportMetadata` is merged field by field, and null removes one field; `metadata` and arrays are replaced as a whole. A study whose report is being written cannot be reassigned (422).
   *
   * `PATCH /v1/scribe/studies/{studyId}`
   */
  update(
    studyId: string,
    body: NonNullable<Types.ScribeUpdateData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeUpdateResponse> {
    return this.#transport.send<Types.ScribeUpdateResponse>({ method: 'PATCH', path: `/v1/scribe/studies/${encodeURIComponent(studyId)}`, body, options })
  }

  /**
   * Read a scribe study by its UID.
   *
   * Returns the study with this Study Instance UID.
   *
   * `GET /v1/scribe/studies/by-uid/{studyInstanceUid}`
   */
  byUid(
    studyInstanceUid: string,
    options?: CallOptions,
  ): Promise<Types.ScribeByUidResponse> {
    return this.#transport.send<Types.ScribeByUidResponse>({ method: 'GET', path: `/v1/scribe/studies/by-uid/${encodeURIComponent(studyInstanceUid)}`, options })
  }

  /**
   * Cancel a study.
   *
   * Marks the study, named by `studyId`, `studyInstanceUid` or both, as cancelled: no report can be written until it is reinstated. Cancelling it again changes nothing.
   *
   * `POST /v1/scribe/studies/cancel`
   */
  cancel(
    body: NonNullable<Types.ScribeCancelData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeCancelResponse> {
    return this.#transport.send<Types.ScribeCancelResponse>({ method: 'POST', path: '/v1/scribe/studies/cancel', body, options })
  }

  /**
   * Reinstate a cancelled study.
   *
   * Reinstates a cancelled study. `success` is false if it was not cancelled.
   *
   * `POST /v1/scribe/studies/uncancel`
   */
  uncancel(
    body: NonNullable<Types.ScribeUncancelData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeUncancelResponse> {
    return this.#transport.send<Types.ScribeUncancelResponse>({ method: 'POST', path: '/v1/scribe/studies/uncancel', body, options })
  }

  /**
   * Assign the study and create a link to the viewer with dictation.
   *
   * Assigns the study to the user and returns a link that opens the images and the report for them. It can be used once, within 15 minutes unless the clinic chose another time. Refused with 422 for a user who may not create reports, a cancelled study, or a report that somebody else is writing.
   *
   * `POST /v1/scribe/studies/reroute-url`
   */
  rerouteUrl(
    body: Types.ScribeRerouteUrlData['body'],
    options?: CallOptions,
  ): Promise<Types.ScribeRerouteUrlResponse> {
    return this.#transport.send<Types.ScribeRerouteUrlResponse>({ method: 'POST', path: '/v1/scribe/studies/reroute-url', body, options })
  }

  /**
   * Create a link to the viewer without dictation.
   *
   * Returns a link that opens only the images of the study. `userId` is recorded in the audit trail and changes no rights. Needs a key with the viewer area.
   *
   * `POST /v1/scribe/studies/viewer-only-reroute-url`
   */
  viewerOnlyRerouteUrl(
    body: NonNullable<Types.ScribeViewerOnlyRerouteUrlData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeViewerOnlyRerouteUrlResponse> {
    return this.#transport.send<Types.ScribeViewerOnlyRerouteUrlResponse>({ method: 'POST', path: '/v1/scribe/studies/viewer-only-reroute-url', body, options })
  }

  /**
   * Reports of a study, including addenda.
   *
   * Returns the reports and addenda of a study, which is named by `studyId` or `studyInstanceUid`. Drafts are listed without their text.
   *
   * `GET /v1/scribe/reports`
   */
  reports(
    query: NonNullable<Types.ScribeReportsData['query']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeReportsResponse> {
    return this.#transport.send<Types.ScribeReportsResponse>({ method: 'GET', path: '/v1/scribe/reports', query, options })
  }

  /**
   * Text of completed reports.
   *
   * Returns the text of one completed report (`reportId`), or of all completed reports of a study (`studyId` or `studyInstanceUid`). A draft is refused with 422.
   *
   * `GET /v1/scribe/reports/text`
   */
  reportText(
    query: NonNullable<Types.ScribeReportTextData['query']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeReportTextResponse> {
    return this.#transport.send<Types.ScribeReportTextResponse>({ method: 'GET', path: '/v1/scribe/reports/text', query, options })
  }

  /**
   * Time-limited PDF links of completed reports.
   *
   * Returns a PDF link for one completed report (`reportId`), or for all completed reports of a study. Each link is valid for an hour and needs no API key. A draft is refused with 422.
   *
   * `GET /v1/scribe/reports/pdf`
   */
  reportPdf(
    query: NonNullable<Types.ScribeReportPdfData['query']> = {},
    options?: CallOptions,
  ): Promise<Types.ScribeReportPdfResponse> {
    return this.#transport.send<Types.ScribeReportPdfResponse>({ method: 'GET', path: '/v1/scribe/reports/pdf', query, options })
  }

  /**
   * Start an addendum on a completed report.
   *
   * Opens a draft addendum on a completed report; a radiologist writes and signs it. `success` is false while another addendum is open or the study is cancelled.
   *
   * `POST /v1/scribe/reports/{reportId}/addendum`
   */
  startAddendum(
    reportId: string,
    options?: CallOptions,
  ): Promise<Types.ScribeStartAddendumResponse> {
    return this.#transport.send<Types.ScribeStartAddendumResponse>({ method: 'POST', path: `/v1/scribe/reports/${encodeURIComponent(reportId)}/addendum`, options })
  }

  /**
   * Cancel an active addendum.
   *
   * Discards the draft addendum. The completed report is unchanged. `success` is false if none is open.
   *
   * `POST /v1/scribe/reports/{reportId}/cancel-addendum`
   */
  cancelAddendum(
    reportId: string,
    options?: CallOptions,
  ): Promise<Types.ScribeCancelAddendumResponse> {
    return this.#transport.send<Types.ScribeCancelAddendumResponse>({ method: 'POST', path: `/v1/scribe/reports/${encodeURIComponent(reportId)}/cancel-addendum`, options })
  }

  /**
   * Create a viewer session without a study.
   *
   * Returns a link to the viewer for images that no study here refers to. The link can be used within 30 seconds; the gateway then sends `ephemeral.access_requested` with `retrievalId` and `options`. Refused with 422 where no endpoint receives that event.
   *
   * `POST /v1/scribe/ephemeral-sessions`
   */
  ephemeralSession(
    body: Types.ScribeEphemeralSessionData['body'],
    options?: CallOptions,
  ): Promise<Types.ScribeEphemeralSessionResponse> {
    return this.#transport.send<Types.ScribeEphemeralSessionResponse>({ method: 'POST', path: '/v1/scribe/ephemeral-sessions', body, options })
  }
}

/** The events of the calling key: what was sent, what was answered, and sending it again. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the events of this key, newest first.
   *
   * Returns the events that belong to this key: those about studies and sessions that it created, and those of its endpoints, tests too. With the right to the clinic’s events, also those that belong to no key. Events of other keys are never among them. They are kept as long as the clinic has set. Needs a key that may see its own events.
   *
   * `GET /v1/events`
   */
  list(
    query: NonNullable<Types.EventsListData['query']> = {},
    options?: CallOptions,
  ): Pages<Types.EventsListResponse, Types.EventsListResponse['events'][number]> {
    return new Pages(this.#transport, { method: 'GET', path: '/v1/events', query, options }, 'events')
  }

  /**
   * Read an event with its attempts.
   *
   * Returns one event with its attempts, newest first. Bodies are null unless the key may see them; queries of presigned URLs are removed from them. An event of another key is 404. Needs a key that may see its own events.
   *
   * `GET /v1/events/{eventId}`
   */
  read(
    eventId: string,
    options?: CallOptions,
  ): Promise<Types.EventsReadResponse> {
    return this.#transport.send<Types.EventsReadResponse>({ method: 'GET', path: `/v1/events/${encodeURIComponent(eventId)}`, options })
  }

  /**
   * Send an event again.
   *
   * Sends a report again under its own event ID, at once if it is still waiting; a soft event is requested again with a new ID. `success` is false where that makes no sense, for example for a synchronous event, whose answer nobody waits for any more. Recorded in the clinic’s audit log. Needs a key that may see its own events.
   *
   * `POST /v1/events/{eventId}/replay`
   */
  replay(
    eventId: string,
    options?: CallOptions,
  ): Promise<Types.EventsReplayResponse> {
    return this.#transport.send<Types.EventsReplayResponse>({ method: 'POST', path: `/v1/events/${encodeURIComponent(eventId)}/replay`, options })
  }
}

/** The addresses that receive the events of the calling key. */
export class Endpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the endpoints of this key.
   *
   * Returns the endpoints of this key, oldest first, without their secrets. Needs a key that may manage its own endpoints.
   *
   * `GET /v1/endpoints`
   */
  list(
    options?: CallOptions,
  ): Promise<Types.EndpointsListResponse> {
    return this.#transport.send<Types.EndpointsListResponse>({ method: 'GET', path: '/v1/endpoints', options })
  }

  /**
   * Add an endpoint; its signing secret is returned once.
   *
   * Adds an endpoint for events about what this key created; each event goes to one endpoint of a key. The address must be https and public: plain http, private addresses, hosts of files and time limits are set by the clinic. The secret is in this answer only. A repeat with the same `Idempotency-Key` returns the same answer for 24 hours. At most ten endpoints. Needs a key that may manage its own endpoints.
   *
   * `POST /v1/endpoints`
   */
  create(
    body: Types.EndpointsCreateData['body'],
    options?: CallOptions,
  ): Promise<Types.EndpointsCreateResponse> {
    return this.#transport.send<Types.EndpointsCreateResponse>({ method: 'POST', path: '/v1/endpoints', body, options })
  }

  /**
   * Change an endpoint, or enable it after it answered with 410.
   *
   * Changes the fields that the body contains. With another host, former secrets no longer sign. `isEnabled` true ends the pause after a 410; an endpoint that the clinic disabled stays disabled (422). Needs a key that may manage its own endpoints.
   *
   * `PATCH /v1/endpoints/{endpointId}`
   */
  update(
    endpointId: string,
    body: NonNullable<Types.EndpointsUpdateData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.EndpointsUpdateResponse> {
    return this.#transport.send<Types.EndpointsUpdateResponse>({ method: 'PATCH', path: `/v1/endpoints/${encodeURIComponent(endpointId)}`, body, options })
  }

  /**
   * Remove an endpoint.
   *
   * Removes the endpoint. Its waiting deliveries and later events go to the clinic’s default endpoint. Needs a key that may manage its own endpoints.
   *
   * `DELETE /v1/endpoints/{endpointId}`
   */
  remove(
    endpointId: string,
    options?: CallOptions,
  ): Promise<Types.EndpointsRemoveResponse> {
    return this.#transport.send<Types.EndpointsRemoveResponse>({ method: 'DELETE', path: `/v1/endpoints/${encodeURIComponent(endpointId)}`, options })
  }

  /**
   * Replace the signing secret; the new one is returned once.
   *
   * Makes a new signing secret, which is in this answer only. The former one signs too until its time is over, unless `endOthersNow` is true. Needs a key that may manage its own endpoints.
   *
   * `POST /v1/endpoints/{endpointId}/rotate-secret`
   */
  rotateSecret(
    endpointId: string,
    body: NonNullable<Types.EndpointsRotateSecretData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.EndpointsRotateSecretResponse> {
    return this.#transport.send<Types.EndpointsRotateSecretResponse>({ method: 'POST', path: `/v1/endpoints/${encodeURIComponent(endpointId)}/rotate-secret`, body, options })
  }

  /**
   * Send an event with invented data to an endpoint now.
   *
   * Sends an event with invented data to the endpoint and waits for its answer, which has no effect. `success` says whether the answer could be used. One test at a time for each endpoint (429). Needs a key that may manage its own endpoints.
   *
   * `POST /v1/endpoints/{endpointId}/test`
   */
  test(
    endpointId: string,
    body: Types.EndpointsTestData['body'],
    options?: CallOptions,
  ): Promise<Types.EndpointsTestResponse> {
    return this.#transport.send<Types.EndpointsTestResponse>({ method: 'POST', path: `/v1/endpoints/${encodeURIComponent(endpointId)}/test`, body, options })
  }
}

/** Test data apart from live data, for developers: what test keys can make happen. All other calls work in the sandbox too, with the same test keys. */
export class Sandbox {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read what is in the sandbox, and where its events go.
   *
   * Returns how much test data there is, how many reports wait to be delivered, and where events go. Needs a test key, which begins with `sk_test_`.
   *
   * `GET /v1/sandbox`
   */
  read(
    options?: CallOptions,
  ): Promise<Types.SandboxReadResponse> {
    return this.#transport.send<Types.SandboxReadResponse>({ method: 'GET', path: '/v1/sandbox', options })
  }

  /**
   * Set the address that the events of the sandbox are sent to.
   *
   * Sets the address for all events of the sandbox. It must be https at a public host; an administrator of the clinic can set any other. `secret` is returned once, if it was generated. Needs a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/webhook`
   */
  setWebhook(
    body: Types.SandboxSetWebhookData['body'],
    options?: CallOptions,
  ): Promise<Types.SandboxSetWebhookResponse> {
    return this.#transport.send<Types.SandboxSetWebhookResponse>({ method: 'POST', path: '/v1/sandbox/webhook', body, options })
  }

  /**
   * Perform an exam: query the worklist as a device does and send images.
   *
   * Asks for today’s worklist as a device does, which sends `modality_worklist.requested` to the webhook, and sends images for the exam with `accessionNumber`, or for the first that has none. Returns when the studies were created from the images, which sends `patient_study.enrichment_requested`. Refused with 422 if the worklist has no such exam. Needs a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/exams`
   */
  runExam(
    body: NonNullable<Types.SandboxRunExamData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.SandboxRunExamResponse> {
    return this.#transport.send<Types.SandboxRunExamResponse>({ method: 'POST', path: '/v1/sandbox/exams', body, options })
  }

  /**
   * Sign a report or an addendum as a radiologist, which sends report.delivered.
   *
   * Signs a report of the scribe study named by `studyId`, `studyInstanceUid` or both, or an addendum if it has a report. Without a study, one with an invented patient is created. Returns after the first attempt to deliver `report.delivered`. Needs a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/reports`
   */
  signReport(
    body: NonNullable<Types.SandboxSignReportData['body']> = {},
    options?: CallOptions,
  ): Promise<Types.SandboxSignReportResponse> {
    return this.#transport.send<Types.SandboxSignReportResponse>({ method: 'POST', path: '/v1/sandbox/reports', body, options })
  }

  /**
   * Send an event with invented data to the webhook, or only show it.
   *
   * Sends an event of any type with invented data, in which the fields of `data` are replaced, and returns the request, the response, and what the gateway would do with it. With `isDryRun`, nothing is sent. Nothing is stored except the event itself. Needs a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/events`
   */
  sendEvent(
    body: Types.SandboxSendEventData['body'],
    options?: CallOptions,
  ): Promise<Types.SandboxSendEventResponse> {
    return this.#transport.send<Types.SandboxSendEventResponse>({ method: 'POST', path: '/v1/sandbox/events', body, options })
  }

  /**
   * Make the next attempt of everything that waits to be sent again, now.
   *
   * Makes the next attempt of every report that waits to be sent again, instead of after up to 24 hours, and returns what came of each. Of one study only the first report is tried, as always. Needs a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/advance`
   */
  advance(
    options?: CallOptions,
  ): Promise<Types.SandboxAdvanceResponse> {
    return this.#transport.send<Types.SandboxAdvanceResponse>({ method: 'POST', path: '/v1/sandbox/advance', options })
  }

  /**
   * Delete all test data; keys and webhook stay.
   *
   * Deletes all studies, images, reports, users and events of the sandbox. API keys and the webhook stay. The next call waits until this is done. Needs a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/empty`
   */
  empty(
    options?: CallOptions,
  ): Promise<Types.SandboxEmptyResponse> {
    return this.#transport.send<Types.SandboxEmptyResponse>({ method: 'POST', path: '/v1/sandbox/empty', options })
  }
}

/** All operations of the interface, by group. */
export class Operations {
  /** Users and their invitations. Users are one table that both areas read. */
  readonly viewerUsers: ViewerUsers
  /** Users who may sign reports, and their invitations. */
  readonly scribeUsers: ScribeUsers
  /** Customers group users and studies. */
  readonly express: Express
  /** Legacy: a record of its own, never interchangeable with an Express customer. */
  readonly orgs: Orgs
  /** Studies by DICOM Study Instance UID, and the viewer’s URLs. These calls need a key with the viewer area. */
  readonly viewer: Viewer
  /** Studies with patient and scan metadata for reporting. */
  readonly scribe: Scribe
  /** The events of the calling key: what was sent, what was answered, and sending it again. */
  readonly events: Events
  /** The addresses that receive the events of the calling key. */
  readonly endpoints: Endpoints
  /** Test data apart from live data, for developers: what test keys can make happen. All other calls work in the sandbox too, with the same test keys. */
  readonly sandbox: Sandbox

  constructor(transport: Transport) {
    this.viewerUsers = new ViewerUsers(transport)
    this.scribeUsers = new ScribeUsers(transport)
    this.express = new Express(transport)
    this.orgs = new Orgs(transport)
    this.viewer = new Viewer(transport)
    this.scribe = new Scribe(transport)
    this.events = new Events(transport)
    this.endpoints = new Endpoints(transport)
    this.sandbox = new Sandbox(transport)
  }
}
