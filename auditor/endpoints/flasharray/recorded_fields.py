"""Which fields of a FlashArray's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
algorithm code host_encryption_key_status manual_eradication mediator_status mode model os personality
priority_adjustment_operator promotion_status protocol protocols requested_promotion_state severity state status subtype type version
"""
