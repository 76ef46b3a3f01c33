/** What an operation of the interface does, its rules and its refusals, by operation ID. */
export const OPERATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  expressCreate:
    'Creates a customer, which groups users and studies. Names need not be unique: send an `Idempotency-Key` so that a repeated request does not create a second one.',
  expressList:
    'Returns customers, active or not, newest first. `expressCustomerName` matches a part of the name in any case.',
  expressRead: 'Returns one customer.',
  expressUpdate:
    'Changes the fields that the body contains. `metadata` is replaced as a whole, and null removes it.',
  expressDeactivate:
    'Refuses new studies and new users for the customer. Existing studies, users and links are unchanged. Deactivating an inactive customer changes nothing.',
  expressReactivate:
    'Allows new studies and users again. Reactivating an active customer changes nothing.',
  expressAddUser:
    'Links a user to the customer. A user who is linked to any customer sees only the studies of the linked ones. `success` is false for an inactive customer; linking twice changes nothing.',
  expressRemoveUser:
    'Removes the link. The account stays active. `success` is false if the user was not linked.',
  orgsCreate:
    'Creates an organization for integrations made before Express customers existed. Nothing else refers to it; use `POST /v1/express` in new code.',
  viewerCreate:
    'Registers a study by its Study Instance UID, which is unique in the viewer area. An unknown user or customer, an inactive customer, or a UID that exists already is refused with 422.',
  viewerList: 'Returns studies that match every given filter, newest first.',
  viewerRead: 'Returns one study.',
  viewerByUid: 'Returns the study with this Study Instance UID.',
  viewerUpdate:
    'Changes the fields that the body contains. `assignedTo` null unassigns the study; `metadata` is replaced as a whole, and null removes it. A cancelled study cannot be reassigned (422).',
  viewerCancel:
    'Marks the study, named by `studyId`, `studyInstanceUid` or both, as cancelled. It is kept and can be reinstated. Cancelling it again changes nothing.',
  viewerUncancel: 'Reinstates a cancelled study. `success` is false if it was not cancelled.',
  viewerRerouteUrl:
    'Returns a link that opens the viewer on the study without signing in. It can be used once, within 15 minutes unless the clinic chose another time.',
  viewerEphemeralSession:
    'Returns a link to the viewer for images that no study here refers to. The link can be used within 30 seconds; the gateway then sends `ephemeral.access_requested` with `retrievalId` and `options`. Refused with 422 where no endpoint receives that event.',
  viewerUsersInvite:
    'Creates the user and sends an invitation by e-mail. The user ID is final. Refused with 422 if the e-mail address belongs to a user or a pending invitation, and for an administrator without access to the window.',
  viewerUsersList: 'Returns users, including those who were invited or revoked, newest first.',
  viewerUsersRead: 'Returns one user of the clinic.',
  viewerUsersUpdate:
    'Changes the fields that the body contains; null removes an optional one. The e-mail address cannot be changed. An owner cannot be changed by the interface (422).',
  viewerUsersRevokeAccess:
    'Ends the user’s access at once; their studies and reports are kept. Revoking again changes nothing.',
  viewerUsersReactivate:
    'Restores the access that the user had before it was revoked. `success` is false if it was not revoked.',
  viewerUsersInvitations:
    'Returns invitations that match every given filter, newest first. An expired invitation keeps the status `sent`.',
  viewerUsersInvitation: 'Returns one invitation.',
  viewerUsersUpdateInvitation:
    'Changes a pending invitation, and the user that it belongs to. Refused with 422 once it has expired or was accepted, rejected or revoked.',
  viewerUsersRevokeInvitation:
    'Revokes a pending invitation, named by `invitationId`, `userId` or both, which must match. `success` is false if it is no longer pending.',
  scribeCreate:
    'Registers a study for reporting by its Study Instance UID, which is unique in the reporting area. It starts as `assigned` if `assignedTo` is given, otherwise as `unassigned`. An unknown user, customer or prior study is refused with 422.',
  scribeList: 'Returns studies that match every given filter, newest first.',
  scribeRead: 'Returns one study, with the IDs of its reports.',
  scribeByUid: 'Returns the study with this Study Instance UID.',
  scribeUpdate:
    'Changes the fields that the body contains. `reportMetadata` is merged field by field, and null removes one field; `metadata` and arrays are replaced as a whole. A study whose report is being written cannot be reassigned (422).',
  scribeCancel:
    'Marks the study, named by `studyId`, `studyInstanceUid` or both, as cancelled: no report can be written until it is reinstated. Cancelling it again changes nothing.',
  scribeUncancel: 'Reinstates a cancelled study. `success` is false if it was not cancelled.',
  scribeRerouteUrl:
    'Assigns the study to the user and returns a link that opens the images and the report for them. It can be used once, within 15 minutes unless the clinic chose another time. Refused with 422 for a user who may not create reports, a cancelled study, or a report that somebody else is writing.',
  scribeViewerOnlyRerouteUrl:
    'Returns a link that opens only the images of the study. `userId` is recorded in the audit trail and changes no rights.',
  scribeReports:
    'Returns the reports and addenda of a study, which is named by `studyId` or `studyInstanceUid`. Drafts are listed without their text.',
  scribeReportText:
    'Returns the text of one completed report (`reportId`), or of all completed reports of a study (`studyId` or `studyInstanceUid`). A draft is refused with 422.',
  scribeReportPdf:
    'Returns a PDF link for one completed report (`reportId`), or for all completed reports of a study. Each link is valid for an hour and needs no API key. A draft is refused with 422.',
  scribeStartAddendum:
    'Opens a draft addendum on a completed report; a radiologist writes and signs it. `success` is false while another addendum is open or the study is cancelled.',
  scribeCancelAddendum:
    'Discards the draft addendum. The completed report is unchanged. `success` is false if none is open.',
  scribeEphemeralSession:
    'Returns a link to the viewer for images that no study here refers to. The link can be used within 30 seconds; the gateway then sends `ephemeral.access_requested` with `retrievalId` and `options`. Refused with 422 where no endpoint receives that event.',
  sandboxRead:
    'Returns how much test data there is, how many reports wait to be delivered, and where events go.',
  sandboxSetWebhook:
    'Sets the address for all events of the sandbox. It must be https at a public host; an administrator of the clinic can set any other. `secret` is returned once, if it was generated.',
  sandboxRunExam:
    'Asks for today’s worklist as a device does, which sends `modality_worklist.requested` to the webhook, and sends images for the exam with `accessionNumber`, or for the first that has none. Returns when the studies were created from the images, which sends `patient_study.enrichment_requested`. Refused with 422 if the worklist has no such exam.',
  sandboxSignReport:
    'Signs a report of the scribe study named by `studyId`, `studyInstanceUid` or both, or an addendum if it has a report. Without a study, one with an invented patient is created. Returns after the first attempt to deliver `report.delivered`.',
  sandboxSendEvent:
    'Sends an event of any type with invented data, in which the fields of `data` are replaced, and returns the request, the response, and what the gateway would do with it. With `isDryRun`, nothing is sent. Nothing is stored except the event itself.',
  sandboxAdvance:
    'Makes the next attempt of every report that waits to be sent again, instead of after up to 24 hours, and returns what came of each. Of one study only the first report is tried, as always.',
  sandboxEmpty:
    'Deletes all studies, images, reports, users and events of the sandbox. API keys and the webhook stay. The next call waits until this is done.',
  scribeUsersInvite:
    'Creates the user and sends an invitation by e-mail. The user ID is final. `npiNumber` is required with `canCreateReports`. Refused with 422 if the e-mail address belongs to a user or a pending invitation.',
  scribeUsersList: 'Returns users, including those who were invited or revoked, newest first.',
  scribeUsersRead: 'Returns one user of the clinic.',
  scribeUsersUpdate:
    'Changes the fields that the body contains; null removes an optional one. The e-mail address cannot be changed. `npiNumber` is required where the user may create reports. An owner cannot be changed by the interface (422).',
  scribeUsersRevokeAccess:
    'Ends the user’s access at once; their studies and reports are kept. Revoking again changes nothing.',
  scribeUsersReactivate:
    'Restores the access that the user had before it was revoked. `success` is false if it was not revoked.',
  scribeUsersInvitations:
    'Returns invitations that match every given filter, newest first. An expired invitation keeps the status `sent`.',
  scribeUsersInvitation: 'Returns one invitation.',
  scribeUsersUpdateInvitation:
    'Changes a pending invitation, and the user that it belongs to. Refused with 422 once it has expired or was accepted, rejected or revoked.',
  scribeUsersRevokeInvitation:
    'Revokes a pending invitation, named by `invitationId`, `userId` or both, which must match. `success` is false if it is no longer pending.',
  eventsList:
    'Returns the events that belong to this key: those about studies and sessions that it created, and those of its endpoints, tests too. With the right to the clinic’s events, also those that belong to no key. Events of other keys are never among them. They are kept as long as the clinic has set.',
  eventsRead:
    'Returns one event with its attempts, newest first. Bodies are null unless the key may see them; queries of presigned URLs are removed from them. An event of another key is 404.',
  eventsReplay:
    'Sends a report again under its own event ID, at once if it is still waiting; a soft event is requested again with a new ID. `success` is false where that makes no sense, for example for a synchronous event, whose answer nobody waits for any more. Recorded in the clinic’s audit log.',
  endpointsList: 'Returns the endpoints of this key, oldest first, without their secrets.',
  endpointsCreate:
    'Adds an endpoint for events about what this key created; each event goes to one endpoint of a key. The address must be https and public: plain http, private addresses, hosts of files and time limits are set by the clinic. The secret is in this answer only. A repeat with the same `Idempotency-Key` returns the same answer for 24 hours. At most ten endpoints.',
  endpointsUpdate:
    'Changes the fields that the body contains. With another host, former secrets no longer sign. `isEnabled` true ends the pause after a 410; an endpoint that the clinic disabled stays disabled (422).',
  endpointsRemove:
    'Removes the endpoint. Its waiting deliveries and later events go to the clinic’s default endpoint.',
  endpointsRotateSecret:
    'Makes a new signing secret, which is in this answer only. The former one signs too until its time is over, unless `endOthersNow` is true.',
  endpointsTest:
    'Sends an event with invented data to the endpoint and waits for its answer, which has no effect. `success` says whether the answer could be used. One test at a time for each endpoint (429).',
}
