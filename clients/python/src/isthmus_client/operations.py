# Generated from docs/openapi.json by npm run clients. Do not edit.
"""All operations of the interface, by group."""

from __future__ import annotations

from urllib.parse import quote

from . import models
from .pages import Pages
from .transport import CallOptions, Transport


class ViewerUsers:
    """Users and their invitations. Users are one table that both areas read."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def invite(
        self,
        body: models.ViewerUsersInviteBody,
        options: CallOptions | None = None,
    ) -> models.ViewerUser:
        """Invite a user and send the invitation.

        Creates the user and sends an invitation by e-mail. The user ID is final. Refused with
        422 if the e-mail address belongs to a user or a pending invitation, and for an
        administrator without access to the window. Needs a key with the viewer area that may
        manage people.

        ``POST /v1/viewer/users``
        """
        reply: models.ViewerUser = self._transport.send(
            "POST", "/v1/viewer/users", body=body, options=options
        )
        return reply

    def list(
        self,
        query: models.ViewerUsersListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ViewerUsersListReply, models.ViewerUser]:
        """List users, newest first.

        Returns users, including those who were invited or revoked, newest first. Needs a key
        with the viewer area.

        ``GET /v1/viewer/users``
        """
        return Pages(self._transport, "/v1/viewer/users", query, options, "users")

    def read(
        self,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.ViewerUser:
        """Read a user.

        Returns one user of the clinic. Needs a key with the viewer area.

        ``GET /v1/viewer/users/{userId}``
        """
        reply: models.ViewerUser = self._transport.send(
            "GET", f"/v1/viewer/users/{quote(user_id, safe='')}", options=options
        )
        return reply

    def update(
        self,
        user_id: str,
        body: models.ViewerUsersUpdateBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ViewerUser:
        """Update a user; the e-mail cannot be changed.

        Changes the fields that the body contains; null removes an optional one. The e-mail
        address cannot be changed. An owner cannot be changed by the interface (422). Needs a
        key with the viewer area that may manage people.

        ``PATCH /v1/viewer/users/{userId}``
        """
        reply: models.ViewerUser = self._transport.send(
            "PATCH", f"/v1/viewer/users/{quote(user_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def revoke_access(
        self,
        body: models.ViewerUsersRevokeAccessBody,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Revoke a user’s access; data is preserved.

        Ends the user’s access at once; their studies and reports are kept. Revoking again
        changes nothing. Needs a key with the viewer area that may manage people.

        ``POST /v1/viewer/users/revoke-access``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/viewer/users/revoke-access", body=body, options=options
        )
        return reply

    def reactivate(
        self,
        body: models.ViewerUsersReactivateBody,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Restore a user’s access.

        Restores the access that the user had before it was revoked. `success` is false if it
        was not revoked. Needs a key with the viewer area that may manage people.

        ``POST /v1/viewer/users/reactivate``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/viewer/users/reactivate", body=body, options=options
        )
        return reply

    def invitations(
        self,
        query: models.ViewerUsersInvitationsQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ViewerUsersInvitationsReply, models.ViewerInvitation]:
        """List invitations, newest first.

        Returns invitations that match every given filter, newest first. An expired invitation
        keeps the status `sent`. Needs a key with the viewer area.

        ``GET /v1/viewer/users/invitations``
        """
        return Pages(self._transport, "/v1/viewer/users/invitations", query, options, "invitations")

    def invitation(
        self,
        invitation_id: str,
        options: CallOptions | None = None,
    ) -> models.ViewerInvitation:
        """Read an invitation.

        Returns one invitation. Needs a key with the viewer area.

        ``GET /v1/viewer/users/invitations/{invitationId}``
        """
        reply: models.ViewerInvitation = self._transport.send(
            "GET", f"/v1/viewer/users/invitations/{quote(invitation_id, safe='')}", options=options
        )
        return reply

    def update_invitation(
        self,
        invitation_id: str,
        body: models.ViewerUsersUpdateInvitationBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ViewerInvitation:
        """Update an invitation that is neither expired nor processed.

        Changes a pending invitation, and the user that it belongs to. Refused with 422 once
        it has expired or was accepted, rejected or revoked. Needs a key with the viewer area
        that may manage people.

        ``PATCH /v1/viewer/users/invitations/{invitationId}``
        """
        reply: models.ViewerInvitation = self._transport.send(
            "PATCH", f"/v1/viewer/users/invitations/{quote(invitation_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def revoke_invitation(
        self,
        body: models.ViewerUsersRevokeInvitationBody | None = None,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Revoke a pending invitation.

        Revokes a pending invitation, named by `invitationId`, `userId` or both, which must
        match. `success` is false if it is no longer pending. Needs a key with the viewer area
        that may manage people.

        ``POST /v1/viewer/users/invitations/revoke``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/viewer/users/invitations/revoke", body=body or {}, options=options
        )
        return reply


class ScribeUsers:
    """Users who may sign reports, and their invitations."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def invite(
        self,
        body: models.ScribeUsersInviteBody,
        options: CallOptions | None = None,
    ) -> models.ScribeUser:
        """Invite a user, who may sign reports, and send the invitation.

        Creates the user and sends an invitation by e-mail. The user ID is final. `npiNumber`
        is required with `canCreateReports`. Refused with 422 if the e-mail address belongs to
        a user or a pending invitation. Needs a key that may manage people.

        ``POST /v1/scribe/users``
        """
        reply: models.ScribeUser = self._transport.send(
            "POST", "/v1/scribe/users", body=body, options=options
        )
        return reply

    def list(
        self,
        query: models.ScribeUsersListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ScribeUsersListReply, models.ScribeUser]:
        """List users, newest first.

        Returns users, including those who were invited or revoked, newest first.

        ``GET /v1/scribe/users``
        """
        return Pages(self._transport, "/v1/scribe/users", query, options, "users")

    def read(
        self,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.ScribeUser:
        """Read a user.

        Returns one user of the clinic.

        ``GET /v1/scribe/users/{userId}``
        """
        reply: models.ScribeUser = self._transport.send(
            "GET", f"/v1/scribe/users/{quote(user_id, safe='')}", options=options
        )
        return reply

    def update(
        self,
        user_id: str,
        body: models.ScribeUsersUpdateBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeUser:
        """Update a user; the e-mail cannot be changed.

        Changes the fields that the body contains; null removes an optional one. The e-mail
        address cannot be changed. `npiNumber` is required where the user may create reports.
        An owner cannot be changed by the interface (422). Needs a key that may manage people.

        ``PATCH /v1/scribe/users/{userId}``
        """
        reply: models.ScribeUser = self._transport.send(
            "PATCH", f"/v1/scribe/users/{quote(user_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def revoke_access(
        self,
        body: models.ScribeUsersRevokeAccessBody,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Revoke a user’s access; data is preserved.

        Ends the user’s access at once; their studies and reports are kept. Revoking again
        changes nothing. Needs a key that may manage people.

        ``POST /v1/scribe/users/revoke-access``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/scribe/users/revoke-access", body=body, options=options
        )
        return reply

    def reactivate(
        self,
        body: models.ScribeUsersReactivateBody,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Restore a user’s access.

        Restores the access that the user had before it was revoked. `success` is false if it
        was not revoked. Needs a key that may manage people.

        ``POST /v1/scribe/users/reactivate``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/scribe/users/reactivate", body=body, options=options
        )
        return reply

    def invitations(
        self,
        query: models.ScribeUsersInvitationsQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ScribeUsersInvitationsReply, models.ScribeInvitation]:
        """List invitations, newest first.

        Returns invitations that match every given filter, newest first. An expired invitation
        keeps the status `sent`.

        ``GET /v1/scribe/users/invitations``
        """
        return Pages(self._transport, "/v1/scribe/users/invitations", query, options, "invitations")

    def invitation(
        self,
        invitation_id: str,
        options: CallOptions | None = None,
    ) -> models.ScribeInvitation:
        """Read an invitation.

        Returns one invitation.

        ``GET /v1/scribe/users/invitations/{invitationId}``
        """
        reply: models.ScribeInvitation = self._transport.send(
            "GET", f"/v1/scribe/users/invitations/{quote(invitation_id, safe='')}", options=options
        )
        return reply

    def update_invitation(
        self,
        invitation_id: str,
        body: models.ScribeUsersUpdateInvitationBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeInvitation:
        """Update an invitation that is neither expired nor processed.

        Changes a pending invitation, and the user that it belongs to. Refused with 422 once
        it has expired or was accepted, rejected or revoked. Needs a key that may manage
        people.

        ``PATCH /v1/scribe/users/invitations/{invitationId}``
        """
        reply: models.ScribeInvitation = self._transport.send(
            "PATCH", f"/v1/scribe/users/invitations/{quote(invitation_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def revoke_invitation(
        self,
        body: models.ScribeUsersRevokeInvitationBody | None = None,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Revoke a pending invitation.

        Revokes a pending invitation, named by `invitationId`, `userId` or both, which must
        match. `success` is false if it is no longer pending. Needs a key that may manage
        people.

        ``POST /v1/scribe/users/invitations/revoke``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/scribe/users/invitations/revoke", body=body or {}, options=options
        )
        return reply


class Express:
    """Customers group users and studies."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: models.ExpressCreateBody,
        options: CallOptions | None = None,
    ) -> models.ExpressCustomer:
        """Create an Express customer.

        Creates a customer, which groups users and studies. Names need not be unique: send an
        `Idempotency-Key` so that a repeated request does not create a second one.

        ``POST /v1/express``
        """
        reply: models.ExpressCustomer = self._transport.send(
            "POST", "/v1/express", body=body, options=options
        )
        return reply

    def list(
        self,
        query: models.ExpressListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ExpressListReply, models.ExpressCustomer]:
        """List Express customers, newest first.

        Returns customers, active or not, newest first. `expressCustomerName` matches a part
        of the name in any case.

        ``GET /v1/express``
        """
        return Pages(self._transport, "/v1/express", query, options, "expressCustomers")

    def read(
        self,
        express_customer_id: str,
        options: CallOptions | None = None,
    ) -> models.ExpressCustomer:
        """Read an Express customer.

        Returns one customer.

        ``GET /v1/express/{expressCustomerId}``
        """
        reply: models.ExpressCustomer = self._transport.send(
            "GET", f"/v1/express/{quote(express_customer_id, safe='')}", options=options
        )
        return reply

    def update(
        self,
        express_customer_id: str,
        body: models.ExpressUpdateBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ExpressCustomer:
        """Update an Express customer; metadata null clears all.

        Changes the fields that the body contains. `metadata` is replaced as a whole, and null
        removes it.

        ``PATCH /v1/express/{expressCustomerId}``
        """
        reply: models.ExpressCustomer = self._transport.send(
            "PATCH", f"/v1/express/{quote(express_customer_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def deactivate(
        self,
        express_customer_id: str,
        options: CallOptions | None = None,
    ) -> models.ExpressCustomer:
        """Block a customer for new studies and new users; existing data is preserved.

        Refuses new studies and new users for the customer. Existing studies, users and links
        are unchanged. Deactivating an inactive customer changes nothing.

        ``POST /v1/express/{expressCustomerId}/deactivate``
        """
        reply: models.ExpressCustomer = self._transport.send(
            "POST", f"/v1/express/{quote(express_customer_id, safe='')}/deactivate", options=options
        )
        return reply

    def reactivate(
        self,
        express_customer_id: str,
        options: CallOptions | None = None,
    ) -> models.ExpressCustomer:
        """Reactivate a customer.

        Allows new studies and users again. Reactivating an active customer changes nothing.

        ``POST /v1/express/{expressCustomerId}/reactivate``
        """
        reply: models.ExpressCustomer = self._transport.send(
            "POST", f"/v1/express/{quote(express_customer_id, safe='')}/reactivate", options=options
        )
        return reply

    def add_user(
        self,
        express_customer_id: str,
        body: models.ExpressAddUserBody,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Associate an existing user with the customer.

        Links a user to the customer. A user who is linked to any customer sees only the
        studies of the linked ones. `success` is false for an inactive customer; linking twice
        changes nothing. Needs a key that may manage people.

        ``POST /v1/express/{expressCustomerId}/users``
        """
        reply: models.Outcome = self._transport.send(
            "POST", f"/v1/express/{quote(express_customer_id, safe='')}/users", body=body, options=options
        )
        return reply

    def remove_user(
        self,
        express_customer_id: str,
        body: models.ExpressRemoveUserBody,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Remove the association; the account stays active.

        Removes the link. The account stays active. `success` is false if the user was not
        linked. Needs a key that may manage people.

        ``DELETE /v1/express/{expressCustomerId}/users``
        """
        reply: models.Outcome = self._transport.send(
            "DELETE", f"/v1/express/{quote(express_customer_id, safe='')}/users", body=body, options=options
        )
        return reply


class Orgs:
    """Legacy: a record of its own, never interchangeable with an Express customer."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: models.OrgsCreateBody,
        options: CallOptions | None = None,
    ) -> models.Organization:
        """Create an organization (legacy).

        Creates an organization for integrations made before Express customers existed.
        Nothing else refers to it; use `POST /v1/express` in new code.

        ``POST /v1/orgs``
        """
        reply: models.Organization = self._transport.send(
            "POST", "/v1/orgs", body=body, options=options
        )
        return reply


class Viewer:
    """Studies by DICOM Study Instance UID, and the viewer’s URLs. These calls need a key with
    the viewer area.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: models.ViewerCreateBody,
        options: CallOptions | None = None,
    ) -> models.ViewerStudy:
        """Create a viewer study.

        Registers a study by its Study Instance UID, which is unique in the viewer area. An
        unknown user or customer, an inactive customer, or a UID that exists already is
        refused with 422. Needs a key with the viewer area.

        ``POST /v1/viewer/studies``
        """
        reply: models.ViewerStudy = self._transport.send(
            "POST", "/v1/viewer/studies", body=body, options=options
        )
        return reply

    def list(
        self,
        query: models.ViewerListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ViewerListReply, models.ViewerStudy]:
        """List viewer studies, newest first.

        Returns studies that match every given filter, newest first. Needs a key with the
        viewer area.

        ``GET /v1/viewer/studies``
        """
        return Pages(self._transport, "/v1/viewer/studies", query, options, "studies")

    def read(
        self,
        study_id: str,
        options: CallOptions | None = None,
    ) -> models.ViewerStudy:
        """Read a viewer study.

        Returns one study. Needs a key with the viewer area.

        ``GET /v1/viewer/studies/{studyId}``
        """
        reply: models.ViewerStudy = self._transport.send(
            "GET", f"/v1/viewer/studies/{quote(study_id, safe='')}", options=options
        )
        return reply

    def update(
        self,
        study_id: str,
        body: models.ViewerUpdateBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ViewerStudy:
        """Update a viewer study.

        Changes the fields that the body contains. `assignedTo` null unassigns the study;
        `metadata` is replaced as a whole, and null removes it. A cancelled study cannot be
        reassigned (422). Needs a key with the viewer area.

        ``PATCH /v1/viewer/studies/{studyId}``
        """
        reply: models.ViewerStudy = self._transport.send(
            "PATCH", f"/v1/viewer/studies/{quote(study_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def by_uid(
        self,
        study_instance_uid: str,
        options: CallOptions | None = None,
    ) -> models.ViewerStudy:
        """Read a viewer study by its UID.

        Returns the study with this Study Instance UID. Needs a key with the viewer area.

        ``GET /v1/viewer/studies/by-uid/{studyInstanceUid}``
        """
        reply: models.ViewerStudy = self._transport.send(
            "GET", f"/v1/viewer/studies/by-uid/{quote(study_instance_uid, safe='')}", options=options
        )
        return reply

    def cancel(
        self,
        body: models.ViewerCancelBody | None = None,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Cancel a study.

        Marks the study, named by `studyId`, `studyInstanceUid` or both, as cancelled. It is
        kept and can be reinstated. Cancelling it again changes nothing. Needs a key with the
        viewer area.

        ``POST /v1/viewer/studies/cancel``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/viewer/studies/cancel", body=body or {}, options=options
        )
        return reply

    def uncancel(
        self,
        body: models.ViewerUncancelBody | None = None,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Reinstate a cancelled study.

        Reinstates a cancelled study. `success` is false if it was not cancelled. Needs a key
        with the viewer area.

        ``POST /v1/viewer/studies/uncancel``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/viewer/studies/uncancel", body=body or {}, options=options
        )
        return reply

    def reroute_url(
        self,
        body: models.ViewerRerouteUrlBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ViewerRerouteUrlReply:
        """Create a time-limited link that opens the viewer on the study.

        Returns a link that opens the viewer on the study without signing in. It can be used
        once, within 15 minutes unless the clinic chose another time. Needs a key with the
        viewer area.

        ``POST /v1/viewer/studies/reroute-url``
        """
        reply: models.ViewerRerouteUrlReply = self._transport.send(
            "POST", "/v1/viewer/studies/reroute-url", body=body or {}, options=options
        )
        return reply

    def ephemeral_session(
        self,
        body: models.ViewerEphemeralSessionBody,
        options: CallOptions | None = None,
    ) -> models.ViewerEphemeralSessionReply:
        """Create a viewer session without a study.

        Returns a link to the viewer for images that no study here refers to. The link can be
        used within 30 seconds; the gateway then sends `ephemeral.access_requested` with
        `retrievalId` and `options`. Refused with 422 where no endpoint receives that event.
        Needs a key with the viewer area.

        ``POST /v1/viewer/ephemeral-sessions``
        """
        reply: models.ViewerEphemeralSessionReply = self._transport.send(
            "POST", "/v1/viewer/ephemeral-sessions", body=body, options=options
        )
        return reply


class Scribe:
    """Studies with patient and scan metadata for reporting."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: models.ScribeCreateBody,
        options: CallOptions | None = None,
    ) -> models.ScribeStudy:
        """Create a study for reporting.

        Registers a study for reporting by its Study Instance UID, which is unique in the
        reporting area. It starts as `assigned` if `assignedTo` is given, otherwise as
        `unassigned`. An unknown user, customer or prior study is refused with 422.

        ``POST /v1/scribe/studies``
        """
        reply: models.ScribeStudy = self._transport.send(
            "POST", "/v1/scribe/studies", body=body, options=options
        )
        return reply

    def list(
        self,
        query: models.ScribeListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.ScribeListReply, models.ScribeStudy]:
        """List scribe studies, newest first.

        Returns studies that match every given filter, newest first.

        ``GET /v1/scribe/studies``
        """
        return Pages(self._transport, "/v1/scribe/studies", query, options, "studies")

    def read(
        self,
        study_id: str,
        options: CallOptions | None = None,
    ) -> models.ScribeStudy:
        """Read a scribe study.

        Returns one study, with the IDs of its reports.

        ``GET /v1/scribe/studies/{studyId}``
        """
        reply: models.ScribeStudy = self._transport.send(
            "GET", f"/v1/scribe/studies/{quote(study_id, safe='')}", options=options
        )
        return reply

    def update(
        self,
        study_id: str,
        body: models.ScribeUpdateBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeStudy:
        """Update a scribe study.

        Changes the fields that the body contains. `reportMetadata` is merged field by field,
        and null removes one field; `metadata` and arrays are replaced as a whole. A study
        whose report is being written cannot be reassigned (422).

        ``PATCH /v1/scribe/studies/{studyId}``
        """
        reply: models.ScribeStudy = self._transport.send(
            "PATCH", f"/v1/scribe/studies/{quote(study_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def by_uid(
        self,
        study_instance_uid: str,
        options: CallOptions | None = None,
    ) -> models.ScribeStudy:
        """Read a scribe study by its UID.

        Returns the study with this Study Instance UID.

        ``GET /v1/scribe/studies/by-uid/{studyInstanceUid}``
        """
        reply: models.ScribeStudy = self._transport.send(
            "GET", f"/v1/scribe/studies/by-uid/{quote(study_instance_uid, safe='')}", options=options
        )
        return reply

    def cancel(
        self,
        body: models.ScribeCancelBody | None = None,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Cancel a study.

        Marks the study, named by `studyId`, `studyInstanceUid` or both, as cancelled: no
        report can be written until it is reinstated. Cancelling it again changes nothing.

        ``POST /v1/scribe/studies/cancel``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/scribe/studies/cancel", body=body or {}, options=options
        )
        return reply

    def uncancel(
        self,
        body: models.ScribeUncancelBody | None = None,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Reinstate a cancelled study.

        Reinstates a cancelled study. `success` is false if it was not cancelled.

        ``POST /v1/scribe/studies/uncancel``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/scribe/studies/uncancel", body=body or {}, options=options
        )
        return reply

    def reroute_url(
        self,
        body: models.ScribeRerouteUrlBody,
        options: CallOptions | None = None,
    ) -> models.ScribeRerouteUrlReply:
        """Assign the study and create a link to the viewer with dictation.

        Assigns the study to the user and returns a link that opens the images and the report
        for them. It can be used once, within 15 minutes unless the clinic chose another time.
        Refused with 422 for a user who may not create reports, a cancelled study, or a report
        that somebody else is writing.

        ``POST /v1/scribe/studies/reroute-url``
        """
        reply: models.ScribeRerouteUrlReply = self._transport.send(
            "POST", "/v1/scribe/studies/reroute-url", body=body, options=options
        )
        return reply

    def viewer_only_reroute_url(
        self,
        body: models.ScribeViewerOnlyRerouteUrlBody | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeViewerOnlyRerouteUrlReply:
        """Create a link to the viewer without dictation.

        Returns a link that opens only the images of the study. `userId` is recorded in the
        audit trail and changes no rights. Needs a key with the viewer area.

        ``POST /v1/scribe/studies/viewer-only-reroute-url``
        """
        reply: models.ScribeViewerOnlyRerouteUrlReply = self._transport.send(
            "POST", "/v1/scribe/studies/viewer-only-reroute-url", body=body or {}, options=options
        )
        return reply

    def reports(
        self,
        query: models.ScribeReportsQuery | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeReportsReply:
        """Reports of a study, including addenda.

        Returns the reports and addenda of a study, which is named by `studyId` or
        `studyInstanceUid`. Drafts are listed without their text.

        ``GET /v1/scribe/reports``
        """
        reply: models.ScribeReportsReply = self._transport.send(
            "GET", "/v1/scribe/reports", query=query, options=options
        )
        return reply

    def report_text(
        self,
        query: models.ScribeReportTextQuery | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeReportTextReply:
        """Text of completed reports.

        Returns the text of one completed report (`reportId`), or of all completed reports of
        a study (`studyId` or `studyInstanceUid`). A draft is refused with 422.

        ``GET /v1/scribe/reports/text``
        """
        reply: models.ScribeReportTextReply = self._transport.send(
            "GET", "/v1/scribe/reports/text", query=query, options=options
        )
        return reply

    def report_pdf(
        self,
        query: models.ScribeReportPdfQuery | None = None,
        options: CallOptions | None = None,
    ) -> models.ScribeReportPdfReply:
        """Time-limited PDF links of completed reports.

        Returns a PDF link for one completed report (`reportId`), or for all completed reports
        of a study. Each link is valid for an hour and needs no API key. A draft is refused
        with 422.

        ``GET /v1/scribe/reports/pdf``
        """
        reply: models.ScribeReportPdfReply = self._transport.send(
            "GET", "/v1/scribe/reports/pdf", query=query, options=options
        )
        return reply

    def start_addendum(
        self,
        report_id: str,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Start an addendum on a completed report.

        Opens a draft addendum on a completed report; a radiologist writes and signs it.
        `success` is false while another addendum is open or the study is cancelled.

        ``POST /v1/scribe/reports/{reportId}/addendum``
        """
        reply: models.Outcome = self._transport.send(
            "POST", f"/v1/scribe/reports/{quote(report_id, safe='')}/addendum", options=options
        )
        return reply

    def cancel_addendum(
        self,
        report_id: str,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Cancel an active addendum.

        Discards the draft addendum. The completed report is unchanged. `success` is false if
        none is open.

        ``POST /v1/scribe/reports/{reportId}/cancel-addendum``
        """
        reply: models.Outcome = self._transport.send(
            "POST", f"/v1/scribe/reports/{quote(report_id, safe='')}/cancel-addendum", options=options
        )
        return reply

    def ephemeral_session(
        self,
        body: models.ScribeEphemeralSessionBody,
        options: CallOptions | None = None,
    ) -> models.ScribeEphemeralSessionReply:
        """Create a viewer session without a study.

        Returns a link to the viewer for images that no study here refers to. The link can be
        used within 30 seconds; the gateway then sends `ephemeral.access_requested` with
        `retrievalId` and `options`. Refused with 422 where no endpoint receives that event.

        ``POST /v1/scribe/ephemeral-sessions``
        """
        reply: models.ScribeEphemeralSessionReply = self._transport.send(
            "POST", "/v1/scribe/ephemeral-sessions", body=body, options=options
        )
        return reply


class Events:
    """The events of the calling key: what was sent, what was answered, and sending it again."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: models.EventsListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.EventsListReply, models.SentEvent]:
        """List the events of this key, newest first.

        Returns the events that belong to this key: those about studies and sessions that it
        created, and those of its endpoints, tests too. With the right to the clinic’s events,
        also those that belong to no key. Events of other keys are never among them. They are
        kept as long as the clinic has set. Needs a key that may see its own events.

        ``GET /v1/events``
        """
        return Pages(self._transport, "/v1/events", query, options, "events")

    def read(
        self,
        event_id: str,
        options: CallOptions | None = None,
    ) -> models.SentEventWithAttempts:
        """Read an event with its attempts.

        Returns one event with its attempts, newest first. Bodies are null unless the key may
        see them; queries of presigned URLs are removed from them. An event of another key is
        404. Needs a key that may see its own events.

        ``GET /v1/events/{eventId}``
        """
        reply: models.SentEventWithAttempts = self._transport.send(
            "GET", f"/v1/events/{quote(event_id, safe='')}", options=options
        )
        return reply

    def replay(
        self,
        event_id: str,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Send an event again.

        Sends a report again under its own event ID, at once if it is still waiting; a soft
        event is requested again with a new ID. `success` is false where that makes no sense,
        for example for a synchronous event, whose answer nobody waits for any more. Recorded
        in the clinic’s audit log. Needs a key that may see its own events.

        ``POST /v1/events/{eventId}/replay``
        """
        reply: models.Outcome = self._transport.send(
            "POST", f"/v1/events/{quote(event_id, safe='')}/replay", options=options
        )
        return reply


class Endpoints:
    """The addresses that receive the events of the calling key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        options: CallOptions | None = None,
    ) -> models.EndpointsListReply:
        """List the endpoints of this key.

        Returns the endpoints of this key, oldest first, without their secrets. Needs a key
        that may manage its own endpoints.

        ``GET /v1/endpoints``
        """
        reply: models.EndpointsListReply = self._transport.send(
            "GET", "/v1/endpoints", options=options
        )
        return reply

    def create(
        self,
        body: models.EndpointsCreateBody,
        options: CallOptions | None = None,
    ) -> models.DeliveryEndpointWithSecret:
        """Add an endpoint; its signing secret is returned once.

        Adds an endpoint for events about what this key created; each event goes to one
        endpoint of a key. The address must be https and public: plain http, private
        addresses, hosts of files and time limits are set by the clinic. The secret is in this
        answer only. A repeat with the same `Idempotency-Key` returns the same answer for 24
        hours. At most ten endpoints. Needs a key that may manage its own endpoints.

        ``POST /v1/endpoints``
        """
        reply: models.DeliveryEndpointWithSecret = self._transport.send(
            "POST", "/v1/endpoints", body=body, options=options
        )
        return reply

    def update(
        self,
        endpoint_id: str,
        body: models.EndpointsUpdateBody | None = None,
        options: CallOptions | None = None,
    ) -> models.DeliveryEndpoint:
        """Change an endpoint, or enable it after it answered with 410.

        Changes the fields that the body contains. With another host, former secrets no longer
        sign. `isEnabled` true ends the pause after a 410; an endpoint that the clinic
        disabled stays disabled (422). Needs a key that may manage its own endpoints.

        ``PATCH /v1/endpoints/{endpointId}``
        """
        reply: models.DeliveryEndpoint = self._transport.send(
            "PATCH", f"/v1/endpoints/{quote(endpoint_id, safe='')}", body=body or {}, options=options
        )
        return reply

    def remove(
        self,
        endpoint_id: str,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Remove an endpoint.

        Removes the endpoint. Its waiting deliveries and later events go to the clinic’s
        default endpoint. Needs a key that may manage its own endpoints.

        ``DELETE /v1/endpoints/{endpointId}``
        """
        reply: models.Outcome = self._transport.send(
            "DELETE", f"/v1/endpoints/{quote(endpoint_id, safe='')}", options=options
        )
        return reply

    def rotate_secret(
        self,
        endpoint_id: str,
        body: models.EndpointsRotateSecretBody | None = None,
        options: CallOptions | None = None,
    ) -> models.DeliveryEndpointWithSecret:
        """Replace the signing secret; the new one is returned once.

        Makes a new signing secret, which is in this answer only. The former one signs too
        until its time is over, unless `endOthersNow` is true. Needs a key that may manage its
        own endpoints.

        ``POST /v1/endpoints/{endpointId}/rotate-secret``
        """
        reply: models.DeliveryEndpointWithSecret = self._transport.send(
            "POST", f"/v1/endpoints/{quote(endpoint_id, safe='')}/rotate-secret", body=body or {}, options=options
        )
        return reply

    def test(
        self,
        endpoint_id: str,
        body: models.EndpointsTestBody,
        options: CallOptions | None = None,
    ) -> models.EndpointsTestReply:
        """Send an event with invented data to an endpoint now.

        Sends an event with invented data to the endpoint and waits for its answer, which has
        no effect. `success` says whether the answer could be used. One test at a time for
        each endpoint (429). Needs a key that may manage its own endpoints.

        ``POST /v1/endpoints/{endpointId}/test``
        """
        reply: models.EndpointsTestReply = self._transport.send(
            "POST", f"/v1/endpoints/{quote(endpoint_id, safe='')}/test", body=body, options=options
        )
        return reply


class Sandbox:
    """Test data apart from live data, for developers: what test keys can make happen. All other
    calls work in the sandbox too, with the same test keys.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def read(
        self,
        options: CallOptions | None = None,
    ) -> models.SandboxState:
        """Read what is in the sandbox, and where its events go.

        Returns how much test data there is, how many reports wait to be delivered, and where
        events go. Needs a test key, which begins with `sk_test_`.

        ``GET /v1/sandbox``
        """
        reply: models.SandboxState = self._transport.send(
            "GET", "/v1/sandbox", options=options
        )
        return reply

    def set_webhook(
        self,
        body: models.SandboxSetWebhookBody,
        options: CallOptions | None = None,
    ) -> models.SandboxSetWebhookReply:
        """Set the address that the events of the sandbox are sent to.

        Sets the address for all events of the sandbox. It must be https at a public host; an
        administrator of the clinic can set any other. `secret` is returned once, if it was
        generated. Needs a test key, which begins with `sk_test_`.

        ``POST /v1/sandbox/webhook``
        """
        reply: models.SandboxSetWebhookReply = self._transport.send(
            "POST", "/v1/sandbox/webhook", body=body, options=options
        )
        return reply

    def run_exam(
        self,
        body: models.SandboxRunExamBody | None = None,
        options: CallOptions | None = None,
    ) -> models.SandboxExam:
        """Perform an exam: query the worklist as a device does and send images.

        Asks for today’s worklist as a device does, which sends `modality_worklist.requested`
        to the webhook, and sends images for the exam with `accessionNumber`, or for the first
        that has none. Returns when the studies were created from the images, which sends
        `patient_study.enrichment_requested`. Refused with 422 if the worklist has no such
        exam. Needs a test key, which begins with `sk_test_`.

        ``POST /v1/sandbox/exams``
        """
        reply: models.SandboxExam = self._transport.send(
            "POST", "/v1/sandbox/exams", body=body or {}, options=options
        )
        return reply

    def sign_report(
        self,
        body: models.SandboxSignReportBody | None = None,
        options: CallOptions | None = None,
    ) -> models.SandboxReport:
        """Sign a report or an addendum as a radiologist, which sends report.delivered.

        Signs a report of the scribe study named by `studyId`, `studyInstanceUid` or both, or
        an addendum if it has a report. Without a study, one with an invented patient is
        created. Returns after the first attempt to deliver `report.delivered`. Needs a test
        key, which begins with `sk_test_`.

        ``POST /v1/sandbox/reports``
        """
        reply: models.SandboxReport = self._transport.send(
            "POST", "/v1/sandbox/reports", body=body or {}, options=options
        )
        return reply

    def send_event(
        self,
        body: models.SandboxSendEventBody,
        options: CallOptions | None = None,
    ) -> models.SandboxEvent:
        """Send an event with invented data to the webhook, or only show it.

        Sends an event of any type with invented data, in which the fields of `data` are
        replaced, and returns the request, the response, and what the gateway would do with
        it. With `isDryRun`, nothing is sent. Nothing is stored except the event itself. Needs
        a test key, which begins with `sk_test_`.

        ``POST /v1/sandbox/events``
        """
        reply: models.SandboxEvent = self._transport.send(
            "POST", "/v1/sandbox/events", body=body, options=options
        )
        return reply

    def advance(
        self,
        options: CallOptions | None = None,
    ) -> models.SandboxAdvanceReply:
        """Make the next attempt of everything that waits to be sent again, now.

        Makes the next attempt of every report that waits to be sent again, instead of after
        up to 24 hours, and returns what came of each. Of one study only the first report is
        tried, as always. Needs a test key, which begins with `sk_test_`.

        ``POST /v1/sandbox/advance``
        """
        reply: models.SandboxAdvanceReply = self._transport.send(
            "POST", "/v1/sandbox/advance", options=options
        )
        return reply

    def empty(
        self,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Delete all test data; keys and webhook stay.

        Deletes all studies, images, reports, users and events of the sandbox. API keys and
        the webhook stay. The next call waits until this is done. Needs a test key, which
        begins with `sk_test_`.

        ``POST /v1/sandbox/empty``
        """
        reply: models.Outcome = self._transport.send(
            "POST", "/v1/sandbox/empty", options=options
        )
        return reply


class Operations:
    """All operations of the interface, by group."""

    def __init__(self, transport: Transport) -> None:
        self.viewer_users = ViewerUsers(transport)
        self.scribe_users = ScribeUsers(transport)
        self.express = Express(transport)
        self.orgs = Orgs(transport)
        self.viewer = Viewer(transport)
        self.scribe = Scribe(transport)
        self.events = Events(transport)
        self.endpoints = Endpoints(transport)
        self.sandbox = Sandbox(transport)
