"""Find the useful content of a page by comparing it with pages of the same site and structure.

After Deturck, "Détection de contenu utile depuis des sites d'actualité" (INALCO, 2015, section 4). Pages of a site are
grouped by the structure of their HTML (`pqgrams`, `tree_distance`, `page_grouping`); in its group every page has a
pair, and what differs between the two, after the headline, is the article (`zones`, `useful_content`). The first line
of attack of the thesis compares the tokens through an edit mapping (`edit_mapping`). `compared_site` joins the steps.
"""
