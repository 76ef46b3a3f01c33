/** What an operation of the interface does, its rules and its refusals, by operation ID. */
export const OPERATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  expressCreate:
    'Creates a customer, which groups users and studies. Names need not be unique. Send an `Idempotency-Key`, so that a repeated request does not create a second customer.',
  expressList:
    'Returns customers, active or not, newest first. `expressCustomerName` matches any part of the name, ignoring case.',
  expressRead: 'Returns one customer.',
  expressUpdate:
    'Changes the fields that the body contains. `metadata` is replaced as a whole; null removes it.',
  expressDeactivate:
    'Blocks new studies and new users for the customer. Existing studies, users and associations do not change. Deactivating an inactive customer has no effect.',
  expressReactivate:
    'Allows new studies and users again. Reactivating an active customer has no effect.',
  expressAddUser:
    'Associates a user with the customer. A user who is associated with one or more customers sees only the studies of these customers. `success` is false if the customer is inactive. Repeating the call has no effect.',
  expressRemoveUser:
    'Removes the association. The account stays active. `success` is false if the user was not associated with the customer.',
  orgsCreate:
    'Creates an organization, for integrations that were built before Express customers existed. No other operation uses it. In new code, use `POST /v1/express`.',
  viewerCreate:
    'Registers a study by its Study Instance UID, which is unique in the viewer area. Returns 422 for an unknown user, an unknown or inactive customer, or a UID that already exists.',
  viewerList: 'Returns the studies that match all filters, newest first.',
  viewerRead: 'Returns one study.',
  viewerByUid: 'Returns the study with this Study Instance UID.',
  viewerUpdate:
    'Changes the fields that the body contains. If `assignedTo` is null, the study becomes unassigned. `metadata` is replaced as a whole; null removes it. A cancelled study cannot be reassigned (422).',
  viewerCancel:
    'Cancels the study identified by `studyId`, `studyInstanceUid` or both. The study is kept and can be reinstated. Cancelling a cancelled study has no effect.',
  viewerUncancel:
    'Reinstates a cancelled study. `success` is false if the study was not cancelled.',
  viewerRerouteUrl:
    'Returns a link that opens the viewer on the study; the user does not need to sign in. The link works once, within 15 minutes unless the clinic has configured another time.',
  viewerEphemeralSession:
    'Returns a link that opens the viewer on images of studies that are not registered in the gateway. The link works for 30 seconds. When it is opened, the gateway sends `ephemeral.access_requested` with `retrievalId` and `options`. Returns 422 if no endpoint receives that event.',
  viewerUsersInvite:
    'Creates the user and sends an invitation by e-mail. The user ID never changes. Returns 422 if the e-mail address belongs to a user or a pending invitation, or if `level` is `admin` and `hasDashboardAccess` is false.',
  viewerUsersList: 'Returns all users, including invited and revoked ones, newest first.',
  viewerUsersRead: 'Returns one user of the clinic.',
  viewerUsersUpdate:
    'Changes the fields that the body contains; null removes an optional field. The e-mail address cannot be changed. An owner cannot be changed through the API (422).',
  viewerUsersRevokeAccess:
    'Ends the user’s access immediately. Their studies and reports are kept. Revoking the access again has no effect.',
  viewerUsersReactivate:
    'Restores the access that the user had before it was revoked. `success` is false if the access was not revoked.',
  viewerUsersInvitations:
    'Returns the invitations that match all filters, newest first. An expired invitation keeps the status `sent`.',
  viewerUsersInvitation: 'Returns one invitation.',
  viewerUsersUpdateInvitation:
    'Changes a pending invitation and the user it was sent to. Returns 422 if the invitation has expired or was accepted, rejected or revoked.',
  viewerUsersRevokeInvitation:
    'Revokes the pending invitation identified by `invitationId`, `userId` or both, which must match. `success` is false if the invitation is no longer pending.',
  scribeCreate:
    'Registers a study for reporting by its Study Instance UID, which is unique in the reporting area. The report status is `assigned` if `assignedTo` is given, and `unassigned` otherwise. Returns 422 for an unknown user, customer or prior study.',
  scribeList: 'Returns the studies that match all filters, newest first.',
  scribeRead: 'Returns one study, with the IDs of its reports.',
  scribeByUid: 'Returns the study with this Study Instance UID.',
  scribeUpdate:
    'Changes the fields that the body contains. `reportMetadata` is merged field by field; null removes a field. `metadata` and arrays are replaced as a whole. A study cannot be reassigned while its report is being written (422).',
  scribeCancel:
    'Cancels the study identified by `studyId`, `studyInstanceUid` or both. No report can be written until the study is reinstated. Cancelling a cancelled study has no effect.',
  scribeUncancel:
    'Reinstates a cancelled study. `success` is false if the study was not cancelled.',
  scribeRerouteUrl:
    'Assigns the study to the user and returns a link that opens its images and report for that user. The link works once, within 15 minutes unless the clinic has configured another time. Returns 422 if the user may not create reports, if the study is cancelled, or if another user is writing the report.',
  scribeViewerOnlyRerouteUrl:
    'Returns a link that opens only the images of the study. `userId` is recorded in the audit log and does not affect permissions.',
  scribeReports:
    'Returns the reports and addenda of the study identified by `studyId` or `studyInstanceUid`. Drafts are listed without their text.',
  scribeReportText:
    'Returns the text of one completed report (`reportId`), or of all completed reports of a study (`studyId` or `studyInstanceUid`). Returns 422 for a draft.',
  scribeReportPdf:
    'Returns a PDF link for one completed report (`reportId`), or for each completed report of a study. A link is valid for one hour and needs no API key. Returns 422 for a draft.',
  scribeStartAddendum:
    'Creates a draft addendum to a completed report, for a radiologist to write and sign. `success` is false if an addendum is already open or the study is cancelled.',
  scribeCancelAddendum:
    'Discards the draft addendum. The completed report does not change. `success` is false if no addendum is open.',
  scribeEphemeralSession:
    'Returns a link that opens the viewer on images of studies that are not registered in the gateway. The link works for 30 seconds. When it is opened, the gateway sends `ephemeral.access_requested` with `retrievalId` and `options`. Returns 422 if no endpoint receives that event.',
  sandboxRead:
    'Returns the number of studies and images in the sandbox, the number of reports not yet delivered, and the address that events are sent to.',
  sandboxSetWebhook:
    'Sets the address that all events of the sandbox are sent to. It must be an https URL on a public host; an administrator of the clinic can set any other address. A generated `secret` is returned once.',
  sandboxRunExam:
    'Simulates a device that performs an exam. The device queries today’s worklist, so the gateway sends `modality_worklist.requested`. It then sends images for the exam with `accessionNumber`, or for the first exam without images, and the gateway sends `patient_study.enrichment_requested`. The call returns once the studies have been created. Returns 422 if the worklist has no such exam.',
  sandboxSignReport:
    'Signs a report of the scribe study identified by `studyId`, `studyInstanceUid` or both. If the study already has a report, an addendum is signed. If no study is given, one is created with sample data. The call returns after the first attempt to deliver `report.delivered`.',
  sandboxSendEvent:
    'Sends an event of any type with sample data. Fields in `data` replace those of the sample. Returns the request, the response, and how the gateway would process the response. With `isDryRun`, nothing is sent. Nothing but the event itself is stored.',
  sandboxAdvance:
    'Retries every waiting report now, instead of after up to 24 hours, and returns the result of each attempt. As usual, reports of the same study are sent in order: only the first of them is retried.',
  sandboxEmpty:
    'Deletes all studies, images, reports, users and events of the sandbox. API keys and the webhook stay. The next call waits until the deletion is complete.',
  scribeUsersInvite:
    'Creates the user and sends an invitation by e-mail. The user ID never changes. `npiNumber` is required if `canCreateReports` is true. Returns 422 if the e-mail address belongs to a user or a pending invitation.',
  scribeUsersList: 'Returns all users, including invited and revoked ones, newest first.',
  scribeUsersRead: 'Returns one user of the clinic.',
  scribeUsersUpdate:
    'Changes the fields that the body contains; null removes an optional field. The e-mail address cannot be changed. `npiNumber` is required if the user may create reports. An owner cannot be changed through the API (422).',
  scribeUsersRevokeAccess:
    'Ends the user’s access immediately. Their studies and reports are kept. Revoking the access again has no effect.',
  scribeUsersReactivate:
    'Restores the access that the user had before it was revoked. `success` is false if the access was not revoked.',
  scribeUsersInvitations:
    'Returns the invitations that match all filters, newest first. An expired invitation keeps the status `sent`.',
  scribeUsersInvitation: 'Returns one invitation.',
  scribeUsersUpdateInvitation:
    'Changes a pending invitation and the user it was sent to. Returns 422 if the invitation has expired or was accepted, rejected or revoked.',
  scribeUsersRevokeInvitation:
    'Revokes the pending invitation identified by `invitationId`, `userId` or both, which must match. `success` is false if the invitation is no longer pending.',
  eventsList:
    'Returns the events that belong to this API key: events about studies and sessions that it created, and events sent to its endpoints, including tests. A key with permission to see the clinic’s events also gets the events that belong to no key. Events of other keys are never returned. The clinic configures how long events are kept.',
  eventsRead:
    'Returns one event with its attempts, newest first. Bodies are null unless the key may see them; the query strings of presigned URLs are removed. Returns 404 for an event of another key.',
  eventsReplay:
    'Sends the event again. A report keeps its event ID and, if it is still waiting, is sent immediately. A soft synchronous event is sent with a new ID. `success` is false if the event cannot be sent again, for example because the response to a synchronous event would no longer be of use. The call is recorded in the clinic’s audit log.',
  endpointsList: 'Returns the endpoints of this key, oldest first, without their secrets.',
  endpointsCreate:
    'Adds an endpoint, which receives events about studies and sessions that this API key created. Each event type can be sent to only one endpoint of a key. The address must be an https URL on a public host; only the clinic can allow plain http or private addresses, list file hosts and set time limits. The secret is returned only in this response. For 24 hours, repeating the call with the same `Idempotency-Key` returns the same response. A key can have at most ten endpoints.',
  endpointsUpdate:
    'Changes the fields that the body contains. If the host changes, former secrets are no longer used for signing. Set `isEnabled` to true to enable an endpoint that was disabled because it returned 410. An endpoint that the clinic disabled cannot be enabled (422).',
  endpointsRemove:
    'Removes the endpoint. Its waiting deliveries and all later events are sent to the clinic’s default endpoint.',
  endpointsRotateSecret:
    'Creates a new signing secret, which is returned only in this response. Requests are also signed with the former secret until it expires, unless `endOthersNow` is true.',
  endpointsTest:
    'Sends an event with sample data to the endpoint and waits for the response, which has no effect. `success` indicates whether the response was valid. Only one test at a time can run for an endpoint (429).',
}
