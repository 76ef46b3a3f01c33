// Generated from docs/openapi.json by npm run clients. Do not edit.

import { Pages } from '../pages.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as Types from './types.gen.ts'

/** Users and their invitations. The viewer and the reporting area have the same users. */
export class ViewerUsers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Invite a user and send the invitation.
   *
   * Creates the user and sends an invitation by e-mail. The user ID never changes. Returns 422 if the e-mail address belongs to a user or a pending invitation, or if `level` is `admin` and `hasDashboardAccess` is false. Requires an API key that may manage users, with access to the viewer area.
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
   * Returns all users, including invited and revoked ones, newest first. Requires an API key with access to the viewer area.
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
   * Returns one user of the clinic. Requires an API key with access to the viewer area.
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
   * Update a user; the e-mail address cannot be changed.
   *
   * Changes the fields that the body contains; null removes an optional field. The e-mail address cannot be changed. An owner cannot be changed through the API (422). Requires an API key that may manage users, with access to the viewer area.
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
   * Ends the user’s access immediately. Their studies and reports are kept. Revoking the access again has no effect. Requires an API key that may manage users, with access to the viewer area.
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
   * Restores the access that the user had before it was revoked. `success` is false if the access was not revoked. Requires an API key that may manage users, with access to the viewer area.
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
   * Returns the invitations that match all filters, newest first. An expired invitation keeps the status `sent`. Requires an API key with access to the viewer area.
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
   * Returns one invitation. Requires an API key with access to the viewer area.
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
   * Update an invitation that has neither expired nor been processed.
   *
   * Changes a pending invitation and the user it was sent to. Returns 422 if the invitation has expired or was accepted, rejected or revoked. Requires an API key that may manage users, with access to the viewer area.
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
   * Revokes the pending invitation identified by `invitationId`, `userId` or both, which must match. `success` is false if the invitation is no longer pending. Requires an API key that may manage users, with access to the viewer area.
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
   * Invite a user of the reporting area, and send the invitation.
   *
   * Creates the user and sends an invitation by e-mail. The user ID never changes. `npiNumber` is required if `canCreateReports` is true. Returns 422 if the e-mail address belongs to a user or a pending invitation. Requires an API key that may manage users.
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
   * Returns all users, including invited and revoked ones, newest first.
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
   * Update a user; the e-mail address cannot be changed.
   *
   * Changes the fields that the body contains; null removes an optional field. The e-mail address cannot be changed. `npiNumber` is required if the user may create reports. An owner cannot be changed through the API (422). Requires an API key that may manage users.
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
   * Ends the user’s access immediately. Their studies and reports are kept. Revoking the access again has no effect. Requires an API key that may manage users.
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
   * Restores the access that the user had before it was revoked. `success` is false if the access was not revoked. Requires an API key that may manage users.
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
   * Returns the invitations that match all filters, newest first. An expired invitation keeps the status `sent`.
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
   * Update an invitation that has neither expired nor been processed.
   *
   * Changes a pending invitation and the user it was sent to. Returns 422 if the invitation has expired or was accepted, rejected or revoked. Requires an API key that may manage users.
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
   * Revokes the pending invitation identified by `invitationId`, `userId` or both, which must match. `success` is false if the invitation is no longer pending. Requires an API key that may manage users.
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
   * Creates a customer, which groups users and studies. Names need not be unique. Send an `Idempotency-Key`, so that a repeated request does not create a second customer.
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
   * Returns customers, active or not, newest first. `expressCustomerName` matches any part of the name, ignoring case.
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
   * Update an Express customer; `metadata: null` removes all metadata.
   *
   * Changes the fields that the body contains. `metadata` is replaced as a whole; null removes it.
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
   * Block new studies and new users for a customer; existing data is preserved.
   *
   * Blocks new studies and new users for the customer. Existing studies, users and associations do not change. Deactivating an inactive customer has no effect.
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
   * Allows new studies and users again. Reactivating an active customer has no effect.
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
   * Associates a user with the customer. A user who is associated with one or more customers sees only the studies of these customers. `success` is false if the customer is inactive. Repeating the call has no effect. Requires an API key that may manage users.
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
   * Removes the association. The account stays active. `success` is false if the user was not associated with the customer. Requires an API key that may manage users.
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

/** Legacy. An organization is a separate record and cannot be used in place of an Express customer. */
export class Orgs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create an organization (legacy).
   *
   * Creates an organization, for integrations that were built before Express customers existed. No other operation uses it. In new code, use `POST /v1/express`.
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

/** Studies for the viewer, and links that open them. These calls require an API key with access to the viewer area. */
export class Viewer {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a viewer study.
   *
   * Registers a study by its Study Instance UID, which is unique in the viewer area. Returns 422 for an unknown user, an unknown or inactive customer, or a UID that already exists. Requires an API key with access to the viewer area.
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
   * Returns the studies that match all filters, newest first. Requires an API key with access to the viewer area.
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
   * Returns one study. Requires an API key with access to the viewer area.
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
   * Changes the fields that the body contains. If `assignedTo` is null, the study becomes unassigned. `metadata` is replaced as a whole; null removes it. A cancelled study cannot be reassigned (422). Requires an API key with access to the viewer area.
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
   * Returns the study with this Study Instance UID. Requires an API key with access to the viewer area.
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
   * Cancels the study identified by `studyId`, `studyInstanceUid` or both. The study is kept and can be reinstated. Cancelling a cancelled study has no effect. Requires an API key with access to the viewer area.
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
   * Reinstates a cancelled study. `success` is false if the study was not cancelled. Requires an API key with access to the viewer area.
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
   * Returns a link that opens the viewer on the study; the user does not need to sign in. The link works once, within 15 minutes unless the clinic has configured another time. Requires an API key with access to the viewer area.
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
   * Returns a link that opens the viewer on images of studies that are not registered in the gateway. The link works for 30 seconds. When it is opened, the gateway sends `ephemeral.access_requested` with `retrievalId` and `options`. Returns 422 if no endpoint receives that event. Requires an API key with access to the viewer area.
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
   * Registers a study for reporting by its Study Instance UID, which is unique in the reporting area. The report status is `assigned` if `assignedTo` is given, and `unassigned` otherwise. Returns 422 for an unknown user, customer or prior study.
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
   * Returns the studies that match all filters, newest first.
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
   * Changes the fields that the body contains. `reportMetadata` is merged field by field; null removes a field. `metadata` and arrays are replaced as a whole. A study cannot be reassigned while its report is being written (422).
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
   * Cancels the study identified by `studyId`, `studyInstanceUid` or both. No report can be written until the study is reinstated. Cancelling a cancelled study has no effect.
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
   * Reinstates a cancelled study. `success` is false if the study was not cancelled.
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
   * Assigns the study to the user and returns a link that opens its images and report for that user. The link works once, within 15 minutes unless the clinic has configured another time. Returns 422 if the user may not create reports, if the study is cancelled, or if another user is writing the report.
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
   * Returns a link that opens only the images of the study. `userId` is recorded in the audit log and does not affect permissions. Requires an API key with access to the viewer area.
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
   * Read the reports of a study, including addenda.
   *
   * Returns the reports and addenda of the study identified by `studyId` or `studyInstanceUid`. Drafts are listed without their text.
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
   * Read the text of completed reports.
   *
   * Returns the text of one completed report (`reportId`), or of all completed reports of a study (`studyId` or `studyInstanceUid`). Returns 422 for a draft.
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
   * Create time-limited links to the PDFs of completed reports.
   *
   * Returns a PDF link for one completed report (`reportId`), or for each completed report of a study. A link is valid for one hour and needs no API key. Returns 422 for a draft.
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
   * Creates a draft addendum to a completed report, for a radiologist to write and sign. `success` is false if an addendum is already open or the study is cancelled.
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
   * Discards the draft addendum. The completed report does not change. `success` is false if no addendum is open.
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
   * Returns a link that opens the viewer on images of studies that are not registered in the gateway. The link works for 30 seconds. When it is opened, the gateway sends `ephemeral.access_requested` with `retrievalId` and `options`. Returns 422 if no endpoint receives that event.
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

/** The events of the calling API key, with the requests and responses of each attempt. Events can be sent again. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the events of this API key, newest first.
   *
   * Returns the events that belong to this API key: events about studies and sessions that it created, and events sent to its endpoints, including tests. A key with permission to see the clinic’s events also gets the events that belong to no key. Events of other keys are never returned. The clinic configures how long events are kept. Requires an API key that may see its own events.
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
   * Returns one event with its attempts, newest first. Bodies are null unless the key may see them; the query strings of presigned URLs are removed. Returns 404 for an event of another key. Requires an API key that may see its own events.
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
   * Sends the event again. A report keeps its event ID and, if it is still waiting, is sent immediately. A soft synchronous event is sent with a new ID. `success` is false if the event cannot be sent again, for example because the response to a synchronous event would no longer be of use. The call is recorded in the clinic’s audit log. Requires an API key that may see its own events.
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

/** The addresses that receive the events of the calling API key. */
export class Endpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the endpoints of this API key.
   *
   * Returns the endpoints of this key, oldest first, without their secrets. Requires an API key that may manage its own endpoints.
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
   * Adds an endpoint, which receives events about studies and sessions that this API key created. Each event type can be sent to only one endpoint of a key. The address must be an https URL on a public host; only the clinic can allow plain http or private addresses, list file hosts and set time limits. The secret is returned only in this response. For 24 hours, repeating the call with the same `Idempotency-Key` returns the same response. A key can have at most ten endpoints. Requires an API key that may manage its own endpoints.
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
   * Change an endpoint, or enable it after it returned 410.
   *
   * Changes the fields that the body contains. If the host changes, former secrets are no longer used for signing. Set `isEnabled` to true to enable an endpoint that was disabled because it returned 410. An endpoint that the clinic disabled cannot be enabled (422). Requires an API key that may manage its own endpoints.
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
   * Removes the endpoint. Its waiting deliveries and all later events are sent to the clinic’s default endpoint. Requires an API key that may manage its own endpoints.
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
   * Creates a new signing secret, which is returned only in this response. Requests are also signed with the former secret until it expires, unless `endOthersNow` is true. Requires an API key that may manage its own endpoints.
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
   * Send an event with sample data to an endpoint now.
   *
   * Sends an event with sample data to the endpoint and waits for the response, which has no effect. `success` indicates whether the response was valid. Only one test at a time can run for an endpoint (429). Requires an API key that may manage its own endpoints.
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

/** Simulated exams, reports and events for developers, kept apart from live data. All other calls also work in the sandbox, with the same test keys. */
export class Sandbox {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read the contents of the sandbox and its webhook address.
   *
   * Returns the number of studies and images in the sandbox, the number of reports not yet delivered, and the address that events are sent to. Requires a test key, which begins with `sk_test_`.
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
   * Sets the address that all events of the sandbox are sent to. It must be an https URL on a public host; an administrator of the clinic can set any other address. A generated `secret` is returned once. Requires a test key, which begins with `sk_test_`.
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
   * Simulates a device that performs an exam. The device queries today’s worklist, so the gateway sends `modality_worklist.requested`. It then sends images for the exam with `accessionNumber`, or for the first exam without images, and the gateway sends `patient_study.enrichment_requested`. The call returns once the studies have been created. Returns 422 if the worklist has no such exam. Requires a test key, which begins with `sk_test_`.
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
   * Sign a report or an addendum as a radiologist, and send report.delivered.
   *
   * Signs a report of the scribe study identified by `studyId`, `studyInstanceUid` or both. If the study already has a report, an addendum is signed. If no study is given, one is created with sample data. The call returns after the first attempt to deliver `report.delivered`. Requires a test key, which begins with `sk_test_`.
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
   * Send an event with sample data to the webhook, or only preview it.
   *
   * Sends an event of any type with sample data. Fields in `data` replace those of the sample. Returns the request, the response, and how the gateway would process the response. With `isDryRun`, nothing is sent. Nothing but the event itself is stored. Requires a test key, which begins with `sk_test_`.
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
   * Retry all waiting reports now.
   *
   * Retries every waiting report now, instead of after up to 24 hours, and returns the result of each attempt. As usual, reports of the same study are sent in order: only the first of them is retried. Requires a test key, which begins with `sk_test_`.
   *
   * `POST /v1/sandbox/advance`
   */
  advance(
    options?: CallOptions,
  ): Promise<Types.SandboxAdvanceResponse> {
    return this.#transport.send<Types.SandboxAdvanceResponse>({ method: 'POST', path: '/v1/sandbox/advance', options })
  }

  /**
   * Delete all test data; test keys and the webhook are kept.
   *
   * Deletes all studies, images, reports, users and events of the sandbox. API keys and the webhook stay. The next call waits until the deletion is complete. Requires a test key, which begins with `sk_test_`.
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
  /** Users and their invitations. The viewer and the reporting area have the same users. */
  readonly viewerUsers: ViewerUsers
  /** Users who may sign reports, and their invitations. */
  readonly scribeUsers: ScribeUsers
  /** Customers group users and studies. */
  readonly express: Express
  /** Legacy. An organization is a separate record and cannot be used in place of an Express customer. */
  readonly orgs: Orgs
  /** Studies for the viewer, and links that open them. These calls require an API key with access to the viewer area. */
  readonly viewer: Viewer
  /** Studies with patient and scan metadata for reporting. */
  readonly scribe: Scribe
  /** The events of the calling API key, with the requests and responses of each attempt. Events can be sent again. */
  readonly events: Events
  /** The addresses that receive the events of the calling API key. */
  readonly endpoints: Endpoints
  /** Simulated exams, reports and events for developers, kept apart from live data. All other calls also work in the sandbox, with the same test keys. */
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
