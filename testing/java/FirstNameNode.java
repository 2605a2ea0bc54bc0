package ydl.testing;

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** A NameNode that formats its directory where that is empty: formatting in a JVM of its own would double the time of a start. */
public final class FirstNameNode {
    private FirstNameNode() {}

    public static void main(String[] args) throws Exception {
        Configuration conf = new HdfsConfiguration();
        if (!new File(conf.get("dfs.namenode.name.dir"), "current/VERSION").exists()) {
            DefaultMetricsSystem.setMiniClusterMode(true); // two NameNodes, one after the other, in one JVM
            NameNode.format(conf);
        }
        NameNode.main(args);
    }
}
