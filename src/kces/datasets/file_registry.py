"""Every file the laboratory reads: where it is published, how long it is and what it must hash to.

The path is the same below a data root as below the name of its source, so a folder that mirrors the
sources can be used as it is. Each table line reads ``SHA-256  bytes  file name``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FILES", "DataFile"]

_RAW = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class DataFile:
    """One published file; ``address`` is None when it can only be put in place by hand."""

    path: str
    address: str | None
    size: int
    sha256: str
    license: str
    note: str = ""


def _table(folder: str, base: str | None, license: str, lines: str, note: str = "") -> list[DataFile]:
    rows = [line.split() for line in lines.strip().splitlines()]
    return [
        DataFile(f"{folder}/{name}", f"{base}/{name}" if base else None, int(size), sha256, license, note)
        for sha256, size, name in rows
    ]


_TABLES = [
    _table(
        "gnn-meta-attack/data",
        _RAW + "/danielzuegner/gnn-meta-attack/master/data",
        "MIT",
        """
        36e9a5bbe84eaa0c3c6b226f8b27450bb79246a5df22c375b3bacddb856efa8e 1418528 citeseer.npz
        398a5c8f949a4f2a3c8fb248f777d2756c654de714762d6a18c04eaa19a96271  711224 cora.npz
        ffbe4e64857dc6bf38f1877e4312559a064df84b59d0f32f938717de5d5af0fd 1620832 cora_ml.npz
        cd0983c2b1caa3bbe2703a4e316f97bb1dccd33f98800d3d8e4bbe51cc86941b  171030 polblogs.npz
        """,
    ),
    _table(
        "planetoid/data",
        _RAW + "/kimiyoung/planetoid/master/data",
        "MIT",
        """
        508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e 7578385 ind.pubmed.allx
        0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e  224739 ind.pubmed.ally
        5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9  471808 ind.pubmed.graph
        b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5    6000 ind.pubmed.test.index
        4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d  405505 ind.pubmed.tx
        ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd   12135 ind.pubmed.ty
        """,
    ),
    _table(
        "Pro-GNN/splits",
        _RAW + "/ChandlerBang/Pro-GNN/master/splits",
        "none stated",
        """
        12ab5787371b8826691d0c6f33ba7c250dff2754a0f571578bc83920594bb9a3   11587 citeseer_prognn_splits.json
        0ac1ce174624eb1143d0ddfe72dd11ebbb5562b1e60dc69e427c570cafd71e09   15792 cora_ml_prognn_splits.json
        40a3e7e4025c349095d425c597a9db53b2ddd2437f0d5ccf7b46417d912f1db0   13836 cora_prognn_splits.json
        06e04855543c9b35fc5d172d1488d12834c8f8d75350616930b9b306be4db296    6264 polblogs_prognn_splits.json
        5ce8bebe79754193a8cb4c7e656fb8db14f91d3213355d25cf199e3caf221e82  126951 pubmed_prognn_splits.json
        """,
    ),
    _table(
        "Pro-GNN/meta",
        _RAW + "/ChandlerBang/Pro-GNN/master/meta",
        "none stated",
        """
        8d27840b7ead85ed90260d54a6f4ff65740d869e1203017111c7fa9ef355242f   18240 citeseer_meta_adj_0.05.npz
        5c333f8c92267ccd6f08ec27c421e9f0a17d9dda58729c93c7c823794c7c23f3   18987 citeseer_meta_adj_0.1.npz
        69069c65343fc75c7b508bd97263a1a2d96212f62e72259ce34c4146f6db866d   19588 citeseer_meta_adj_0.15.npz
        599e1fb14330bb5451216a5cebe7987840ecfa6a2d41004088f616e8653e9f5a   20379 citeseer_meta_adj_0.2.npz
        63ff4f587683c93f36ff9ef987b9efad36260af5407bdf1a4175359dfb25ce91   21027 citeseer_meta_adj_0.25.npz
        bfb6ed914acbae726906ff0aa09b5ae70713849dcc637d8f08eeb27c0ef24c1f   24290 cora_meta_adj_0.05.npz
        fbb6b1485cdfa93ae23501f950b43f4dc96eb09099f5fec3d67b93a92394dbd7   25346 cora_meta_adj_0.1.npz
        f22e02303c239ba236acf3c214e4ff8e2539d68992737e2d909d02a96eabfc88   26307 cora_meta_adj_0.15.npz
        adbe44b4014bc183525d8f55f2173c091fad9cc5c97e01a08a423ee6ceea8caa   27291 cora_meta_adj_0.2.npz
        2e0e4eb2293a48f9a54c612bb1ac36b7ef4e643626acf4c159792b2cb6b534d8   28158 cora_meta_adj_0.25.npz
        b6fa842571104a1460a1cab4c334646a7de25545bddafe6cc76c29e6dfe7ff55   33644 cora_ml_meta_adj_0.05.npz
        7079e0297962f04a27711588d267659e5699a48db5b2d3952aebdaa423712125   35095 cora_ml_meta_adj_0.1.npz
        7202ff756cf817c6814f76088532488e5465a430119f5815d879c59a2607b8e0   35934 cora_ml_meta_adj_0.15.npz
        b63601136d9b2bca3fe3322da0259a5358762eefec5e0996137b0a7024efed7c   36653 cora_ml_meta_adj_0.2.npz
        0f471f3b2ed55ab795216cb310bb8bf9f0378bd56c4e5c4c55bf245e4275a5cc   37675 cora_ml_meta_adj_0.25.npz
        dc707f19ed4d3e5ad18c309de49a84ab5b2eb1491d6054bec900c8ad5bf0662c   46562 polblogs_meta_adj_0.05.npz
        ac9b5d6566783a9b5c28b4a9fb30174779c1e1c4c3fc9f4060c68084ef04f40c   47858 polblogs_meta_adj_0.1.npz
        db13407a6b283cbc2d428d598019e2dd66e09330589183c4ab34e2203ee43ad0   48442 polblogs_meta_adj_0.15.npz
        7b5cb695d7680ffb65f3c5af831513a47453bcdc5b99bb6618be904965497b5b   47180 polblogs_meta_adj_0.2.npz
        855b846a97b0b85515ab36cd4c5a6f15b5e9ec91a76a1946d157fee7b2272a78   46716 polblogs_meta_adj_0.25.npz
        d831d0839501b8cd679449f7a1858be780c271edab1fa0f39ae3d33882847e63  242212 pubmed_meta_adj_0.05.npz
        de41f0747caaaa3b02d888574b9b21a3ca2cf03a704f359a8aaaa3ed512f94c4  254124 pubmed_meta_adj_0.1.npz
        d776127f18af5c6881620ada543958b5add56ad73b8d75c3fe47416bca67bb9d  265793 pubmed_meta_adj_0.15.npz
        1a4d9e1d6bf01a57d520b814cae051d1a72a471b463c05e2b43464f04cc006f3  277207 pubmed_meta_adj_0.2.npz
        2a55b3af3e6eb740c17cf679d10a1f3205541058ee6b60e44836b14bbcd87fb4  288454 pubmed_meta_adj_0.25.npz
        """,
    ),
    _table(
        "Pro-GNN/nettack",
        _RAW + "/ChandlerBang/Pro-GNN/master/nettack",
        "none stated",
        """
        54c2c3aa78ec07665abd60fb24efd8a0eb1ec7ee012cdcea624b344488091c31   17648 citeseer_nettack_adj_1.0.npz
        14f931cda7e2e2851e6370c18df505be1c0c09c16b77e44be98d01fdb44d5e55   17874 citeseer_nettack_adj_2.0.npz
        481b4edf430bcaae435765b33fd9f18779c6764436361c673b1812ea8d7154b9   18119 citeseer_nettack_adj_3.0.npz
        2fd8ae75036a8e9161cc385e04dd175687cb2c5766a7c813566a44aa30fff95f   18352 citeseer_nettack_adj_4.0.npz
        2783e043bd41379e6d67088df56451a27298b390119671a87ddff6e622ab5b10   18521 citeseer_nettack_adj_5.0.npz
        a9911a5de538cfa856322d76d2095384d4c3a32aa3ff828b37365c6c247ed868   11964 citeseer_nettacked_nodes.json
        34bebc2f07bd6d6c26d60aeaa04468188c473d3166461e591f5118b554533a2e   23414 cora_nettack_adj_1.0.npz
        fee90b13ccf0c23b14e0cf087ce41e584bc0c964436853894c01cde48f54fb80   23696 cora_nettack_adj_2.0.npz
        aa333452e7852f75a26c8d77b73b6d905406253cabc46338a1e96f3cafda2557   24019 cora_nettack_adj_3.0.npz
        12782aff23c81c44c2b15fd0e2fb31f953ae32814c4c4b8ab0452481c312150f   24294 cora_nettack_adj_4.0.npz
        f0e64db018d3278ecba60a999091b9f3c1bab0b5a07a3bf3e97995cfaa5e71ef   24545 cora_nettack_adj_5.0.npz
        09ac6e4debd2c0dd4288e1130349da6547bfe971864a82d717e782f2f7953cbf   14337 cora_nettacked_nodes.json
        920dadbee8f98fa95f7691988c2e994b5d7979739c58aad75f36ff99b6102fdb   45670 polblogs_nettack_adj_1.0.npz
        cb087a286d008b15d7c88276cd6c0fd7d4491d7856122b4d83f2210c60dda998   47545 polblogs_nettack_adj_2.0.npz
        120b6ebec230b75149bb9a25611a85d5500acbbeb6f5dea4cb6d4416734f4593   49106 polblogs_nettack_adj_3.0.npz
        248687c06f2dcde5f684c69b49a9ea13b6342d326e3332245134b139675af6d5   50534 polblogs_nettack_adj_4.0.npz
        46acb0c289834327e96ab99e80bb9ed21c3b2c51afac3b67b070c3e87ae96f81   52129 polblogs_nettack_adj_5.0.npz
        a2e654532168348e3f302b09d88cfcd2bada5dd66afb08cb431dbd8fc76ec721    9051 polblogs_nettacked_nodes.json
        fae8dc7f2f014bbc9b2eb61f6a2ebb747f53f2a998c55c2dd914e9f173e65821  231091 pubmed_nettack_adj_1.0.npz
        3936d3d403e956d7dc5a24bb17010b445e92de3791c2f0cac011741a367d3a75  231981 pubmed_nettack_adj_2.0.npz
        ddc2a89d0079e8692885ed5df23ec2fbb4118a7baed78a42851f265ad033ee6d  232768 pubmed_nettack_adj_3.0.npz
        ae27a4825bd1eac42af81a6f846857c230aa2116c08b540a97340741cacad312  233587 pubmed_nettack_adj_4.0.npz
        e13ed4bec3216cb63ad181375f30b319de417a476c2690ad622ac3cf8bb2c50a  234252 pubmed_nettack_adj_5.0.npz
        1da1b72bc625f9eb226c1e8956ff12f5c1108688648b9d5b8b990f675a25c611  128162 pubmed_nettacked_nodes.json
        """,
    ),
    _table(
        "Pro-GNN/other_datasets",
        _RAW + "/ChandlerBang/Pro-GNN/master/other_datasets",
        "none stated",
        """
        3d5bf9dc20144ec079daac0c402ffcbb853c3f56f0cd70f429c628eb9c0ff18d 2469404 flickr.zip
        """,
    ),
    _table(
        "heterophilous",
        _RAW + "/yandex-research/heterophilous-graphs/main/data",
        "MIT",
        """
        c350eef06b2c2a9bf8218be2b57cac6d4003d0922eb597a039e9123f75817816  252956 actor.npz
        bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5   58924 chameleon_filtered.npz
        684c54ba3daa13b0ba1f04a3d6dd1b1175c1ae9bdeb982851fd4ff96d3aac298   30515 cornell.npz
        f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7  208215 squirrel_filtered.npz
        b164b99e6c3d43e4ab07488ec59bd8c815f90cbc1bd4cf425ce587d2b534d844   28586 texas.npz
        2543c89838cfc75f737f7c4664cc1d097f8268602c20b2d1bd4f21407df9c074   41672 wisconsin.npz
        """,
    ),
    _table(
        "GraphData/datasets",
        _RAW + "/EdisonLeeeee/GraphData/master/datasets",
        "none stated",
        """
        1c930d99910763bc5f0c1aa90e8baa945f5ad6027663fe5332d0f08fde33cd7d 3772032 coauthor_phy.npz
        """,
    ),
    _table(
        "ogbn-arxiv",
        _RAW + "/DEEP-PolyU/NetBenchmark/06c884a9448433feadb6131e9e81f8b284685992/data/ogbn-arxiv",
        "ODC-BY",
        """
        920dae5bad3f63b07f5b8883493b298f026778d7358c14b955985bacbbd13771 3119297 adj_full.npz
        """,
    ),
    _table(
        "ogbn-arxiv",
        None,
        "ODC-BY",
        """
        102c961b1c6f3379a6de30a674265ad957b5d5ff6b06f2a39794f18c87fa1b43  430213 labels_split_year.npz
        """,
        note="re-packed from OGB's labels, time split and years; not needed with the ogb package",
    ),
]

FILES: dict[str, DataFile] = {file.path: file for table in _TABLES for file in table}
