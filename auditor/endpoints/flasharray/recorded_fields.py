"""Which fields of a FlashArray's answers a recording keeps as they are: see `auditor.recording.fields`."""

import re

from auditor.endpoints.common.kept_forms import KeptForms

FORMS = KeptForms(
    constants=re.compile(
        r"!?null|true|false|\*|vasa-integration\.purestorage\.com|(?:key=')?PURE_VVOL_ID'?|subtype='[a-z_]+'|state='[a-z_]+'"
    ),
)

KEPT = """
algorithm code data_availability_status host_encryption_key_status manual_eradication mediator_status mode model os personality
priority_adjustment_operator promotion_status protocol protocols requested_promotion_state severity state status subtype type version
"""
