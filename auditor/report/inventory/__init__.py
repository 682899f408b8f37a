"""The inventory of a fleet as sheets: what each has, and how they are written as a workbook, as CSV and as JSON."""
