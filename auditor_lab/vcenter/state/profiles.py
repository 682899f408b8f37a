"""Host profiles and configuration profiles that reset their options after somebody has changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.policies import ProfileDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState


def options_written(state: VCenterState, host: HostState) -> None:
    """React to a write of a host's options: profiles that own one with another value reset theirs a little later.

    A real profile does so when somebody or a schedule remediates; here the description sets the time.
    """
    for profile in state.profiles:
        if _covers(state, profile, host) and _differs(profile, host):
            _reset_later(state, profile, host)


def _covers(state: VCenterState, profile: ProfileDescription, host: HostState) -> bool:
    return host.description.name in profile.hosts or state.cluster_of[host.moid] in profile.clusters


def _differs(profile: ProfileDescription, host: HostState) -> bool:
    return any(host.options.get(key) != value for key, value in profile.options.items())


def _reset_later(state: VCenterState, profile: ProfileDescription, host: HostState) -> None:
    def reset_options() -> None:
        now = next((one for one in state.profiles if one.name == profile.name and _covers(state, one, host)), None)
        if now is None:
            return  # the profile no longer covers the host
        if host.reachable:
            host.options.update(now.options)
        else:
            _reset_later(state, now, host)

    state.after(profile.after_seconds, reset_options)
