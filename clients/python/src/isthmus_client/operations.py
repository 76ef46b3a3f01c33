# Generated from docs/openapi.json by npm run clients. Do not edit.
"""All operations of the interface, by group."""

from __future__ import annotations

from urllib.parse import quote

from . import models
from .pages import Pages
from .transport import CallOptions, Transport


class ViewerUsers:
    """Users and their invitations. The viewer and the reporting area have the same users."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def invite(
        self,
        body: models.ViewerUsersInviteBody,
        options: CallOptions | None = None,
    ) -> models.ViewerUser:
        """Invite a user and send the invitation.

        Creates the user and sends an invitation by e-mail. The user ID never changes. Returns
        422 if the e-mail address belongs to a user or a pending invitation, or if `level` is
        `admin` and `hasDashboardAccess` is false. Requires an API key that may manage users,
        with access to the viewer area.

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

        Returns all users, including invited and revoked ones, newest first. Requires an API
        key with access to the viewer area.

        ``GET /v1/viewer/users``
        """
        return Pages(self._transport, "/v1/viewer/users", query, options, "users")

    def read(
        self,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.ViewerUser:
        """Read a user.

        Returns one user of the clinic. Requires an API key with access to the viewer area.

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
        """Update a user; the e-mail address cannot be changed.

        Changes the fields that the body contains; null removes an optional field. The e-mail
        address cannot be changed. An owner cannot be changed through the API (422). Requires
        an API key that may manage users, with access to the viewer area.

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

        Ends the user’s access immediately. Their studies and reports are kept. Revoking the
        access again has no effect. Requires an API key that may manage users, with access to
        the viewer area.

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

        Restores the access that the user had before it was revoked. `success` is false if the
        access was not revoked. Requires an API key that may manage users, with access to the
        viewer area.

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

        Returns the invitations that match all filters, newest first. An expired invitation
        keeps the status `sent`. Requires an API key with access to the viewer area.

        ``GET /v1/viewer/users/invitations``
        """
        return Pages(self._transport, "/v1/viewer/users/invitations", query, options, "invitations")

    def invitation(
        self,
        invitation_id: str,
        options: CallOptions | None = None,
    ) -> models.ViewerInvitation:
        """Read an invitation.

        Returns one invitation. Requires an API key with access to the viewer area.

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
        """Update an invitation that has neither expired nor been processed.

        Changes a pending invitation and the user it was sent to. Returns 422 if the
        invitation has expired or was accepted, rejected or revoked. Requires an API key that
        may manage users, with access to the viewer area.

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

        Revokes the pending invitation identified by `invitationId`, `userId` or both, which
        must match. `success` is false if the invitation is no longer pending. Requires an API
        key that may manage users, with access to the viewer area.

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
        """Invite a user of the reporting area, and send the invitation.

        Creates the user and sends an invitation by e-mail. The user ID never changes.
        `npiNumber` is required if `canCreateReports` is true. Returns 422 if the e-mail
        address belongs to a user or a pending invitation. Requires an API key that may manage
        users.

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

        Returns all users, including invited and revoked ones, newest first.

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
        """Update a user; the e-mail address cannot be changed.

        Changes the fields that the body contains; null removes an optional field. The e-mail
        address cannot be changed. `npiNumber` is required if the user may create reports. An
        owner cannot be changed through the API (422). Requires an API key that may manage
        users.

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

        Ends the user’s access immediately. Their studies and reports are kept. Revoking the
        access again has no effect. Requires an API key that may manage users.

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

        Restores the access that the user had before it was revoked. `success` is false if the
        access was not revoked. Requires an API key that may manage users.

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

        Returns the invitations that match all filters, newest first. An expired invitation
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
        """Update an invitation that has neither expired nor been processed.

        Changes a pending invitation and the user it was sent to. Returns 422 if the
        invitation has expired or was accepted, rejected or revoked. Requires an API key that
        may manage users.

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

        Revokes the pending invitation identified by `invitationId`, `userId` or both, which
        must match. `success` is false if the invitation is no longer pending. Requires an API
        key that may manage users.

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

        Creates a customer, which groups users and studies. Names need not be unique. Send an
        `Idempotency-Key`, so that a repeated request does not create a second customer.

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

        Returns customers, active or not, newest first. `expressCustomerName` matches any part
        of the name, ignoring case.

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
        """Update an Express customer; `metadata: null` removes all metadata.

        Changes the fields that the body contains. `metadata` is replaced as a whole; null
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
        """Block new studies and new users for a customer; existing data is preserved.

        Blocks new studies and new users for the customer. Existing studies, users and
        associations do not change. Deactivating an inactive customer has no effect.

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

        Allows new studies and users again. Reactivating an active customer has no effect.

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

        Associates a user with the customer. A user who is associated with one or more
        customers sees only the studies of these customers. `success` is false if the customer
        is inactive. Repeating the call has no effect. Requires an API key that may manage
        users.

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

        Removes the association. The account stays active. `success` is false if the user was
        not associated with the customer. Requires an API key that may manage users.

        ``DELETE /v1/express/{expressCustomerId}/users``
        """
        reply: models.Outcome = self._transport.send(
            "DELETE", f"/v1/express/{quote(express_customer_id, safe='')}/users", body=body, options=options
        )
        return reply


class Orgs:
    """Legacy. An organization is a separate record and cannot be used in place of an Express
    customer.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: models.OrgsCreateBody,
        options: CallOptions | None = None,
    ) -> models.Organization:
        """Create an organization (legacy).

        Creates an organization, for integrations that were built before Express customers
        existed. No other operation uses it. In new code, use `POST /v1/express`.

        ``POST /v1/orgs``
        """
        reply: models.Organization = self._transport.send(
            "POST", "/v1/orgs", body=body, options=options
        )
        return reply


class Viewer:
    """Studies for the viewer, and links that open them. These calls require an API key with
    access to the viewer area.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: models.ViewerCreateBody,
        options: CallOptions | None = None,
    ) -> models.ViewerStudy:
        """Create a viewer study.

        Registers a study by its Study Instance UID, which is unique in the viewer area.
        Returns 422 for an unknown user, an unknown or inactive customer, or a UID that
        already exists. Requires an API key with access to the viewer area.

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

        Returns the studies that match all filters, newest first. Requires an API key with
        access to the viewer area.

        ``GET /v1/viewer/studies``
        """
        return Pages(self._transport, "/v1/viewer/studies", query, options, "studies")

    def read(
        self,
        study_id: str,
        options: CallOptions | None = None,
    ) -> models.ViewerStudy:
        """Read a viewer study.

        Returns one study. Requires an API key with access to the viewer area.

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

        Changes the fields that the body contains. If `assignedTo` is null, the study becomes
        unassigned. `metadata` is replaced as a whole; null removes it. A cancelled study
        cannot be reassigned (422). Requires an API key with access to the viewer area.

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

        Returns the study with this Study Instance UID. Requires an API key with access to the
        viewer area.

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

        Cancels the study identified by `studyId`, `studyInstanceUid` or both. The study is
        kept and can be reinstated. Cancelling a cancelled study has no effect. Requires an
        API key with access to the viewer area.

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

        Reinstates a cancelled study. `success` is false if the study was not cancelled.
        Requires an API key with access to the viewer area.

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

        Returns a link that opens the viewer on the study; the user does not need to sign in.
        The link works once, within 15 minutes unless the clinic has configured another time.
        Requires an API key with access to the viewer area.

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

        Returns a link that opens the viewer on images of studies that are not registered in
        the gateway. The link works for 30 seconds. When it is opened, the gateway sends
        `ephemeral.access_requested` with `retrievalId` and `options`. Returns 422 if no
        endpoint receives that event. Requires an API key with access to the viewer area.

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
        reporting area. The report status is `assigned` if `assignedTo` is given, and
        `unassigned` otherwise. Returns 422 for an unknown user, customer or prior study.

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

        Returns the studies that match all filters, newest first.

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

        Changes the fields that the body contains. `reportMetadata` is merged field by field;
        null removes a field. `metadata` and arrays are replaced as a whole. A study cannot be
        reassigned while its report is being written (422).

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

        Cancels the study identified by `studyId`, `studyInstanceUid` or both. No report can
        be written until the study is reinstated. Cancelling a cancelled study has no effect.

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

        Reinstates a cancelled study. `success` is false if the study was not cancelled.

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

        Assigns the study to the user and returns a link that opens its images and report for
        that user. The link works once, within 15 minutes unless the clinic has configured
        another time. Returns 422 if the user may not create reports, if the study is
        cancelled, or if another user is writing the report.

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
        audit log and does not affect permissions. Requires an API key with access to the
        viewer area.

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
        """Read the reports of a study, including addenda.

        Returns the reports and addenda of the study identified by `studyId` or
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
        """Read the text of completed reports.

        Returns the text of one completed report (`reportId`), or of all completed reports of
        a study (`studyId` or `studyInstanceUid`). Returns 422 for a draft.

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
        """Create time-limited links to the PDFs of completed reports.

        Returns a PDF link for one completed report (`reportId`), or for each completed report
        of a study. A link is valid for one hour and needs no API key. Returns 422 for a
        draft.

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

        Creates a draft addendum to a completed report, for a radiologist to write and sign.
        `success` is false if an addendum is already open or the study is cancelled.

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

        Discards the draft addendum. The completed report does not change. `success` is false
        if no addendum is open.

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

        Returns a link that opens the viewer on images of studies that are not registered in
        the gateway. The link works for 30 seconds. When it is opened, the gateway sends
        `ephemeral.access_requested` with `retrievalId` and `options`. Returns 422 if no
        endpoint receives that event.

        ``POST /v1/scribe/ephemeral-sessions``
        """
        reply: models.ScribeEphemeralSessionReply = self._transport.send(
            "POST", "/v1/scribe/ephemeral-sessions", body=body, options=options
        )
        return reply


class Events:
    """The events of the calling API key, with the requests and responses of each attempt. Events
    can be sent again.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: models.EventsListQuery | None = None,
        options: CallOptions | None = None,
    ) -> Pages[models.EventsListReply, models.SentEvent]:
        """List the events of this API key, newest first.

        Returns the events that belong to this API key: events about studies and sessions that
        it created, and events sent to its endpoints, including tests. A key with permission
        to see the clinic’s events also gets the events that belong to no key. Events of other
        keys are never returned. The clinic configures how long events are kept. Requires an
        API key that may see its own events.

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
        see them; the query strings of presigned URLs are removed. Returns 404 for an event of
        another key. Requires an API key that may see its own events.

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

        Sends the event again. A report keeps its event ID and, if it is still waiting, is
        sent immediately. A soft synchronous event is sent with a new ID. `success` is false
        if the event cannot be sent again, for example because the response to a synchronous
        event would no longer be of use. The call is recorded in the clinic’s audit log.
        Requires an API key that may see its own events.

        ``POST /v1/events/{eventId}/replay``
        """
        reply: models.Outcome = self._transport.send(
            "POST", f"/v1/events/{quote(event_id, safe='')}/replay", options=options
        )
        return reply


class Endpoints:
    """The addresses that receive the events of the calling API key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        options: CallOptions | None = None,
    ) -> models.EndpointsListReply:
        """List the endpoints of this API key.

        Returns the endpoints of this key, oldest first, without their secrets. Requires an
        API key that may manage its own endpoints.

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

        Adds an endpoint, which receives events about studies and sessions that this API key
        created. Each event type can be sent to only one endpoint of a key. The address must
        be an https URL on a public host; only the clinic can allow plain http or private
        addresses, list file hosts and set time limits. The secret is returned only in this
        response. For 24 hours, repeating the call with the same `Idempotency-Key` returns the
        same response. A key can have at most ten endpoints. Requires an API key that may
        manage its own endpoints.

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
        """Change an endpoint, or enable it after it returned 410.

        Changes the fields that the body contains. If the host changes, former secrets are no
        longer used for signing. Set `isEnabled` to true to enable an endpoint that was
        disabled because it returned 410. An endpoint that the clinic disabled cannot be
        enabled (422). Requires an API key that may manage its own endpoints.

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

        Removes the endpoint. Its waiting deliveries and all later events are sent to the
        clinic’s default endpoint. Requires an API key that may manage its own endpoints.

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

        Creates a new signing secret, which is returned only in this response. Requests are
        also signed with the former secret until it expires, unless `endOthersNow` is true.
        Requires an API key that may manage its own endpoints.

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
        """Send an event with sample data to an endpoint now.

        Sends an event with sample data to the endpoint and waits for the response, which has
        no effect. `success` indicates whether the response was valid. Only one test at a time
        can run for an endpoint (429). Requires an API key that may manage its own endpoints.

        ``POST /v1/endpoints/{endpointId}/test``
        """
        reply: models.EndpointsTestReply = self._transport.send(
            "POST", f"/v1/endpoints/{quote(endpoint_id, safe='')}/test", body=body, options=options
        )
        return reply


class Sandbox:
    """Simulated exams, reports and events for developers, kept apart from live data. All other
    calls also work in the sandbox, with the same test keys.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def read(
        self,
        options: CallOptions | None = None,
    ) -> models.SandboxState:
        """Read the contents of the sandbox and its webhook address.

        Returns the number of studies and images in the sandbox, the number of reports not yet
        delivered, and the address that events are sent to. Requires a test key, which begins
        with `sk_test_`.

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

        Sets the address that all events of the sandbox are sent to. It must be an https URL
        on a public host; an administrator of the clinic can set any other address. A
        generated `secret` is returned once. Requires a test key, which begins with
        `sk_test_`.

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

        Simulates a device that performs an exam. The device queries today’s worklist, so the
        gateway sends `modality_worklist.requested`. It then sends images for the exam with
        `accessionNumber`, or for the first exam without images, and the gateway sends
        `patient_study.enrichment_requested`. The call returns once the studies have been
        created. Returns 422 if the worklist has no such exam. Requires a test key, which
        begins with `sk_test_`.

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
        """Sign a report or an addendum as a radiologist, and send report.delivered.

        Signs a report of the scribe study identified by `studyId`, `studyInstanceUid` or
        both. If the study already has a report, an addendum is signed. If no study is given,
        one is created with sample data. The call returns after the first attempt to deliver
        `report.delivered`. Requires a test key, which begins with `sk_test_`.

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
        """Send an event with sample data to the webhook, or only preview it.

        Sends an event of any type with sample data. Fields in `data` replace those of the
        sample. Returns the request, the response, and how the gateway would process the
        response. With `isDryRun`, nothing is sent. Nothing but the event itself is stored.
        Requires a test key, which begins with `sk_test_`.

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
        """Retry all waiting reports now.

        Retries every waiting report now, instead of after up to 24 hours, and returns the
        result of each attempt. As usual, reports of the same study are sent in order: only
        the first of them is retried. Requires a test key, which begins with `sk_test_`.

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
        """Delete all test data; test keys and the webhook are kept.

        Deletes all studies, images, reports, users and events of the sandbox. API keys and
        the webhook stay. The next call waits until the deletion is complete. Requires a test
        key, which begins with `sk_test_`.

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
