"""Host profiles and configuration profiles that put their values back after somebody changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.lab.vcenter.description.policies import ProfileDescription
    from auditor.lab.vcenter.state.hosts import HostState
    from auditor.lab.vcenter.state.vcenter import VCenterState


def options_written(state: VCenterState, host: HostState) -> None:
    """Somebody wrote options of a host: profiles that own one and see another value there put theirs back a little later.

    A real profile does so when somebody or a schedule remediates; here the time is the description's.
    """
    for profile in state.profiles:
        if _covers(state, profile, host) and _differs(profile, host):
            _put_back_later(state, profile, host)


def _covers(state: VCenterState, profile: ProfileDescription, host: HostState) -> bool:
    return host.description.name in profile.hosts or state.cluster_of[host.moid] in profile.clusters


def _differs(profile: ProfileDescription, host: HostState) -> bool:
    return any(host.options.get(key) != value for key, value in profile.options.items())


def _put_back_later(state: VCenterState, profile: ProfileDescription, host: HostState) -> None:
    def put_back() -> None:
        now = next((one for one in state.profiles if one.name == profile.name and _covers(state, one, host)), None)
        if now is None:
            return  # the profile has let go of the host
        if host.reachable:
            host.options.update(now.options)
        else:
            _put_back_later(state, now, host)

    state.after(profile.after_seconds, put_back)
